import type { ReactNode } from 'react';
import { type OperatorAction, operatorActions } from '@/lib/operator/actions';
import { Facts, Id, Moment } from './parts';

/** What an operator did. */
export function ActionEntry({ entry }: { entry: OperatorAction }): ReactNode {
  const { at, actor, address, action, target, reason, note, before, after, correlationId } = entry;
  const words = Object.hasOwn(operatorActions, action)
    ? // The line above checks that it is one.
      operatorActions[action as keyof typeof operatorActions]
    : action;
  return (
    <li>
      <h2>
        {actor} {words} {target === null ? null : <Target kind={target.kind} id={target.id} />}
      </h2>
      <Facts
        entries={[
          ['At', <Moment key="at" at={at} />],
          ['From', address ?? 'the program'],
          ...(reason === null ? [] : [['Reason', <code key="reason">{reason}</code>] as const]),
          ...(note === null ? [] : [['Note', note] as const]),
          ...(before === null ? [] : [['Before', <Json key="before" value={before} />] as const]),
          ...(after === null ? [] : [['After', <Json key="after" value={after} />] as const]),
          ['Correlation ID', <Id key="correlation" value={correlationId} />],
        ]}
      />
    </li>
  );
}

function Target({ kind, id }: { kind: string; id: string }): ReactNode {
  const paths: Readonly<Record<string, string>> = { paid_call: 'calls', form: 'forms', upload: 'uploads' };
  const folder = paths[kind];
  if (folder === undefined) return <Id value={id} />;
  return (
    <a href={`/operator/${folder}/${encodeURIComponent(id)}`}>
      <Id value={id} />
    </a>
  );
}

function Json({ value }: { value: unknown }): ReactNode {
  return <code className="id">{JSON.stringify(value)}</code>;
}
