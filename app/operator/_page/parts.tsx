import type { ReactNode } from 'react';
import { money } from '@/app/_wallets/words';
import { toPrice } from '@/lib/payments/money';

/** Small parts that the pages of the console share. */

/**
 * A moment, in UTC, because the servers and the chains use it too.
 * @param isPrecise whether it has milliseconds
 */
export function Moment({ at, isPrecise = false }: { at: Date; isPrecise?: boolean }): ReactNode {
  return (
    <time className="moment" dateTime={at.toISOString()}>
      {formatMoment(at, isPrecise)}
    </time>
  );
}

/** `2026-11-22 15:36:29 UTC` */
function formatMoment(at: Date, isPrecise = false): string {
  return `${at
    .toISOString()
    .slice(0, isPrecise ? 23 : 19)
    .replace('T', ' ')} UTC`;
}

/** How long ago something was, with the exact time for those who point at it. */
export function Ago({ at, now }: { at: Date; now: number }): ReactNode {
  return (
    <time className="moment" dateTime={at.toISOString()} title={formatMoment(at)}>
      {`${formatDuration(now - at.getTime())} ago`}
    </time>
  );
}

/** The title of a page, with what stands beside it. */
export function PageHead({ title, children }: { title: ReactNode; children?: ReactNode }): ReactNode {
  return (
    <div className="page-head">
      <h1>{title}</h1>
      {children}
    </div>
  );
}

/** When the figures of a page were read, with a link that reads them again. */
export function AsOf({ now }: { now: number }): ReactNode {
  return (
    <p className="quiet as-of">
      As of <Moment at={new Date(now)} /> · <a href="?">Refresh</a>
    </p>
  );
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
  return `${formatAmount(atomic)} USDC`;
}

/** `12,345.678`, and `−0.01` with a real minus, which is as wide as a digit. */
export function formatAmount(atomic: bigint): string {
  return `${atomic < 0n ? '−' : ''}${money(toPrice(atomic < 0n ? -atomic : atomic))}`;
}

/** Formats the amounts of a column with the same number of decimals, so that digits stand below each other. Its head names the unit. */
export function columnFormat(amounts: readonly bigint[]): (atomic: bigint) => string {
  const decimalsOf = (text: string) => text.split('.')[1]?.length ?? 0;
  const most = Math.max(0, ...amounts.map((one) => decimalsOf(formatAmount(one))));
  return (atomic) => {
    const text = formatAmount(atomic);
    const missing = most - decimalsOf(text);
    return missing > 0 ? `${text}${text.includes('.') ? '' : '.'}${'0'.repeat(missing)}` : text;
  };
}

export type Tone = 'good' | 'warn' | 'wrong' | 'plain';

/** A state in words. The color only repeats it. */
export function Tag({ tone, children }: { tone: Tone; children: ReactNode }): ReactNode {
  return <span className={tone === 'plain' ? 'tag' : `tag ${tone}`}>{children}</span>;
}

/** An identifier that a person may want to select as a whole. */
export function Id({ value, isShort = false }: { value: string; isShort?: boolean }): ReactNode {
  return (
    <code className="id" translate="no" title={isShort ? value : undefined}>
      {isShort ? shorten(value) : value}
    </code>
  );
}

/** The first and last characters, where the whole value would break a table: of each part, in `prepaid:0x123456…abcdef`. */
function shorten(value: string): string {
  const parts = value.split(':');
  return parts.map((part) => (part.length <= 20 ? part : `${part.slice(0, 8)}…${part.slice(-6)}`)).join(':');
}

/** Text with a button that copies a value. */
export function Copyable({
  value,
  name,
  children,
}: {
  value: string;
  /** What is copied, such as `call ID`. */
  name: string;
  children: ReactNode;
}): ReactNode {
  return (
    <span className="copyable">
      {children}
      <button type="button" className="tertiary copy-value" data-value={value} aria-label={`Copy ${name}`}>
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path className="copy-mark" d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />
          <path className="copied-mark" d="M3 8.5l3.5 3.5L13 4.5" />
        </svg>
      </button>
    </span>
  );
}

export function CallLink({ id, isShort = false }: { id: string; isShort?: boolean }): ReactNode {
  return (
    <Copyable value={id} name="call ID">
      <a href={`/operator/calls/${id}`}>
        <Id value={id} isShort={isShort} />
      </a>
    </Copyable>
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
  const id = <Id value={hash} isShort={isShort} />;
  return (
    <Copyable value={hash} name="transaction hash">
      {page === null ? (
        id
      ) : (
        <a href={page} rel="noreferrer">
          {id}
        </a>
      )}
    </Copyable>
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
