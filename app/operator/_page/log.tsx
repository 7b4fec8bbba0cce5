import type { ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import { actionFilters, listActions, type OperatorAction, operatorActions } from '@/lib/db/operator-actions';
import { consolePage, showPage } from './console-route';
import { Empty, Facts, Id, Moment } from './parts';
import { Summary } from './summary';

/** `GET /operator/log` */
export const showLog = consolePage(async (asked) => {
  const query = Object.fromEntries([...asked.url.searchParams].filter(([, value]) => value !== ''));
  const filters = actionFilters.safeParse(query);
  if (!filters.success) return showPage(asked, 'Log', <InvalidFilter />, 400);
  const page = await listActions(currentApp(), filters.data);
  const next = page.nextCursor === null ? null : new URLSearchParams({ ...query, cursor: page.nextCursor });
  return showPage(
    asked,
    'Log',
    <Log
      actions={page.actions}
      next={next === null ? null : `/operator/log?${next}`}
      action={filters.data.action}
      actor={filters.data.actor}
      targetId={filters.data.targetId}
    />,
  );
});

function InvalidFilter(): ReactNode {
  return (
    <>
      <h1>Log</h1>
      <Summary title="This filter is not valid" text="Start again without a filter." />
      <p>
        <a href="/operator/log">Show everything</a>
      </p>
    </>
  );
}

interface LogProps {
  readonly actions: readonly OperatorAction[];
  readonly next: string | null;
  readonly action: string | undefined;
  readonly actor: string | undefined;
  readonly targetId: string | undefined;
}

function Log({ actions, next, action, actor, targetId }: LogProps): ReactNode {
  return (
    <>
      <h1>Log</h1>
      <p>
        What operators did, here and with the program <code>tuppence</code>, the newest first. The database
        refuses to change or delete an entry.
      </p>
      <form className="filters" method="get" action="/operator/log">
        <div className="field">
          <label htmlFor="action">Action</label>
          <select id="action" name="action" defaultValue={action ?? ''}>
            <option value="">any</option>
            {Object.keys(operatorActions).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="actor">Who</label>
          <input id="actor" name="actor" defaultValue={actor} autoComplete="off" />
        </div>
        <div className="field">
          <label htmlFor="targetId">Id of what it was about</label>
          <input id="targetId" name="targetId" defaultValue={targetId} autoComplete="off" data-search />
        </div>
        <div className="field">
          <button type="submit">Filter</button>
        </div>
      </form>
      {actions.length === 0 ? (
        <Empty>No entry matches. Every sign-in and every action adds one.</Empty>
      ) : (
        <ol className="items">
          {actions.map((entry) => (
            <Entry key={String(entry.id)} entry={entry} />
          ))}
        </ol>
      )}
      {next === null ? null : (
        <p>
          <a href={next}>Older entries</a>
        </p>
      )}
    </>
  );
}

function Entry({ entry }: { entry: OperatorAction }): ReactNode {
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
          ['Correlation', <Id key="correlation" value={correlationId} />],
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
