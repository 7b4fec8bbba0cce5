import type { ReactNode } from 'react';
import { toPrice } from '@/lib/payments/money';

/** Small parts that the pages of the console share. */

/** A moment, in UTC, because the servers and the chains use it too. */
export function Moment({ at }: { at: Date }): ReactNode {
  const iso = at.toISOString();
  return (
    <time className="moment" dateTime={iso} title={iso}>
      {formatMoment(at)}
    </time>
  );
}

/** `2026-11-22 15:36:29` */
function formatMoment(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}

/** `3 days`, `2 hours`, `5 minutes`, `40 seconds`: rounded down. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const units = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ] as const;
  const [size, word] = units.find(([one]) => seconds >= one) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`;
}

/** `12,345.678 USDC` */
export function formatUsdc(atomic: bigint): string {
  const [whole = '0', fraction] = toPrice(atomic < 0n ? -atomic : atomic).split('.');
  const grouped = BigInt(whole).toLocaleString('en-US');
  return `${atomic < 0n ? '-' : ''}${grouped}${fraction === undefined ? '' : `.${fraction}`} USDC`;
}

export type Tone = 'good' | 'warn' | 'wrong' | 'plain';

/** A state in words. The color only repeats it. */
export function Tag({ tone, children }: { tone: Tone; children: ReactNode }): ReactNode {
  return <span className={tone === 'plain' ? 'tag' : `tag ${tone}`}>{children}</span>;
}

/** An identifier that a person may want to select as a whole. */
export function Id({ value }: { value: string }): ReactNode {
  return (
    <code className="id" translate="no">
      {value}
    </code>
  );
}

/** The first and last characters, where the whole value would break a table. A link leads to the whole value. */
export function shorten(value: string): string {
  return value.length <= 20 ? value : `${value.slice(0, 8)}…${value.slice(-6)}`;
}

export function CallLink({ id }: { id: string }): ReactNode {
  return (
    <a href={`/operator/calls/${id}`}>
      <Id value={id} />
    </a>
  );
}

/**
 * A transaction.
 * @param page its page in the public explorer; null where there is none
 */
export function Transaction({
  hash,
  page,
  isShort = false,
}: {
  hash: string | null;
  page: string | null;
  isShort?: boolean;
}): ReactNode {
  if (hash === null) return 'none';
  if (page === null) return <Id value={hash} />;
  return (
    <a href={page} rel="noreferrer">
      <Id value={isShort ? shorten(hash) : hash} />
    </a>
  );
}

/** Names and values. */
export function Facts({
  entries,
}: {
  entries: readonly (readonly [name: string, value: ReactNode])[];
}): ReactNode {
  return (
    <dl className="facts">
      {entries.map(([name, value]) => (
        <FactPair key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function FactPair({ name, value }: { name: string; value: ReactNode }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** Says what a list would show if there were anything. */
export function Empty({ children }: { children: ReactNode }): ReactNode {
  return <p className="quiet">{children}</p>;
}
