import { shortTimings } from '../support/timings';
import { expect, test } from './fixtures';
import { transfersOf } from './rig/found';
import { type Answer, ask, persist, sign } from './rig/requests';

test.setTimeout(180_000);

/** An answer may say that nothing was charged only if nothing was charged and nothing will be. */
function expectHonest(answer: Answer | null): void {
  if (!answer || answer.status === 200) return;
  expect(answer.body.error, JSON.stringify(answer.body)).toMatchObject({ retry: 'same_request' });
}

test('a retry that cannot be looked up is not told that nothing was charged', async ({ rig }) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  const bought = await ask(request);
  expect(bought.status).toBe(200);
  const lost = rig.database.loseAnswerTo('idempotency_key_hash = asked.key_hash');
  const repeated = await ask(request);
  await lost;
  expect(repeated.body.error).toMatchObject({ code: 'ledger_unavailable', retry: 'same_request' });
  const last = await persist(request);
  expect(last.body).toEqual(bought.body);
});

test('a free call without the database gets our error, which does not mention the database', async ({
  rig,
}) => {
  const lost = rig.database.loseAnswerTo('FROM "public"."paid_call"');
  const answer = await fetch(`${rig.apiUrl}/v1/paid-calls/pc_4fQm9WzR2sKx7LdTn0VbYcHj`);
  await lost;
  expect(answer.status).toBe(500);
  const { error } = await answer.json();
  expect(error).toMatchObject({ code: 'internal_error', payment: 'none', retry: 'later' });
  expect(JSON.stringify(error)).not.toMatch(/paid_call|postgres|connection|SELECT/i);
});

test('a database that never replies to a statement times out, and the same request ends paid once', async ({
  rig,
}) => {
  const wallet = await rig.newEvmPayer();
  const request = await sign(rig, wallet);
  await rig.restart({}, { ...shortTimings, database: { answerWithinMs: 1_000 } });
  let isSwallowed = false;
  rig.database.intercept((statement) => {
    if (isSwallowed || !statement.includes('INSERT INTO paid_call (')) return null;
    isSwallowed = true;
    return () => new Promise(() => undefined);
  });
  const first = await ask(request);
  expect(first.status).toBe(503);
  expectHonest(first);
  expect((await persist(request)).status).toBe(200);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
  await rig.kill();
});
