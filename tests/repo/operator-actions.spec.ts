import pg from 'pg';
import type { App } from '@/lib/app';
import { actionFilters, listActions, type NewOperatorAction, recordAction } from '@/lib/operator/actions';
import { newId } from '@/lib/platform/ids';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { expect, test } from '../support/without-browser';

let ledger: LedgerApp;
let app: App;

test.beforeAll(async () => {
  ledger = await openLedgerApp();
  app = ledger.app;
});
test.afterAll(() => ledger.close());

const actor = { name: 'cli:ada@example', address: null };

/** A new takedown action, for a form of its own. */
function newAction(more: Partial<NewOperatorAction> = {}): NewOperatorAction {
  return {
    actor,
    action: 'content.take_down',
    target: { kind: 'form', id: newId('fm') },
    correlationId: newId('op'),
    ...more,
  };
}

const list = (query: Record<string, string>) => listActions(app, actionFilters.parse(query));

test('an action is recorded with its actor, reason and change', async () => {
  const before = Date.now();
  const action = newAction({
    actor: { name: 'console:session', address: '192.0.2.1' },
    reason: 'phishing',
    note: 'It asks for seed phrases.',
    before: { status: 'open' },
    after: { status: 'taken_down' },
  });
  const id = await recordAction(app, action);
  const { actions } = await list({ targetKind: 'form', targetId: action.target?.id ?? '' });
  const { actor, ...rest } = action;
  expect(actions).toEqual([{ ...rest, id, at: expect.any(Date), actor: actor.name, address: actor.address }]);
  expect(Math.abs((actions[0]?.at.getTime() ?? 0) - before)).toBeLessThan(60_000);
});

test('recorded actions cannot be changed or removed', async () => {
  await recordAction(app, newAction());
  const client = new pg.Client({ connectionString: ledger.databaseUrl });
  await client.connect();
  try {
    const refused = [
      `UPDATE operator_action SET note = 'another'`,
      'DELETE FROM operator_action',
      'DELETE FROM operator_action WHERE id < 0',
      'TRUNCATE operator_action',
    ];
    // 23001: restrict_violation.
    for (const sql of refused) await expect(client.query(sql), sql).rejects.toMatchObject({ code: '23001' });
  } finally {
    await client.end();
  }
});

test('an action within a transaction is recorded only if the transaction is', async () => {
  const action = newAction();
  const failing = app.db.$transaction(async (db) => {
    await recordAction({ db }, action);
    throw new Error('the change failed');
  });
  await expect(failing).rejects.toThrow('the change failed');
  expect((await list({ targetId: action.target?.id ?? '' })).actions).toEqual([]);
  await app.db.$transaction(async (db) => {
    await recordAction({ db }, action);
  });
  expect((await list({ targetId: action.target?.id ?? '' })).actions).toHaveLength(1);
});

test('pages of the log are newest first and neither skip nor repeat an action', async () => {
  const name = `cli:${newId('op')}`;
  const ids: bigint[] = [];
  for (let n = 0; n < 5; n += 1)
    ids.push(await recordAction(app, newAction({ actor: { name, address: null } })));
  const seen: bigint[] = [];
  let cursor: string | null = null;
  do {
    const page = await list({ actor: name, limit: '2', ...(cursor && { cursor }) });
    expect(page.actions.length).toBeLessThanOrEqual(2);
    seen.push(...page.actions.map(({ id }) => id));
    cursor = page.nextCursor;
    // An action that is recorded during paging does not shift the others.
    if (seen.length === 2) await recordAction(app, newAction({ actor: { name, address: null } }));
  } while (cursor !== null);
  expect(seen).toEqual(ids.toReversed());
});

test('filters of the log are parsed', () => {
  for (const query of [
    { cursor: '1; DROP TABLE operator_action' },
    { limit: '0' },
    { limit: '1000' },
    { targetKind: 'weather' },
    { unknown: 'x' },
  ])
    expect(actionFilters.safeParse(query).success, JSON.stringify(query)).toBe(false);
});
