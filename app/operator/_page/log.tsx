import type { ReactNode } from 'react';
import { Field } from '@/app/_page/field';
import { currentApp } from '@/lib/app/current';
import { actionFilters, listActions, type OperatorAction, operatorActions } from '@/lib/operator/actions';
import { ActionEntry } from './action-entry';
import { consolePage, showPage } from './console-route';
import { Empty } from './parts';
import { Summary } from './summary';

/** `GET /operator/log` */
export const showLog = consolePage(async (context) => {
  const query = Object.fromEntries([...context.url.searchParams].filter(([, value]) => value !== ''));
  const filters = actionFilters.safeParse(query);
  if (!filters.success) return showPage(context, 'Log', <InvalidFilter />, 400);
  const page = await listActions(currentApp(), filters.data);
  const next = page.nextCursor === null ? null : new URLSearchParams({ ...query, cursor: page.nextCursor });
  return showPage(
    context,
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
      <Summary title="This filter is not valid" problems={[{ text: 'Start again without a filter.' }]} />
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
        What operators did here and with the <code>tuppence</code> command, newest first. Entries cannot be
        edited or deleted.
      </p>
      <form className="filters" method="get" action="/operator/log">
        <Field id="action" label="Action">
          <select id="action" name="action" defaultValue={action ?? ''}>
            <option value="">Any</option>
            {Object.keys(operatorActions).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Field id="actor" label="Who">
          <input id="actor" name="actor" defaultValue={actor} autoComplete="off" />
        </Field>
        <Field id="targetId" label="Object ID">
          <input id="targetId" name="targetId" defaultValue={targetId} autoComplete="off" data-search />
        </Field>
        <div className="field actions">
          <button type="submit">Filter</button>
        </div>
      </form>
      {actions.length === 0 ? (
        <Empty>No entry matches. Every sign-in and every action adds one.</Empty>
      ) : (
        <ol className="items">
          {actions.map((entry) => (
            <ActionEntry key={String(entry.id)} entry={entry} />
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
