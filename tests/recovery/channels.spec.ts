import { decodePaymentResponseHeader } from '@x402/core/http';
import { aFile } from '../support/files';
import { expect, test } from './fixtures';
import { channelClient, startChannelRig } from './rig/channels';
import type { Rig } from './rig/rig';

let rig: Rig;
test.beforeAll(async () => {
  rig = await startChannelRig();
});
test.afterAll(() => rig.close());

const upload = () => ({ method: 'POST', ...aFile() });

test('the official client deposits once, and pays for the next calls by vouchers', async () => {
  const payer = await rig.newEvmPayer();
  const { fetch } = channelClient(rig, payer);
  const answers: Response[] = [];
  for (let call = 0; call < 3; call += 1) answers.push(await fetch(`${rig.apiUrl}/v1/uploads`, upload()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const receipts = answers.map(({ headers }) =>
    decodePaymentResponseHeader(headers.get('PAYMENT-RESPONSE') ?? ''),
  );
  expect(receipts.map(({ amount }) => amount)).toEqual(['1000000', '', '']);
  expect(receipts).toMatchObject(
    [5_000, 10_000, 15_000].map((total) => ({
      success: true,
      payer: payer.address,
      extra: {
        chargedAmount: '5000',
        channelState: { chargedCumulativeAmount: String(total), balance: '1000000', totalClaimed: '0' },
      },
    })),
  );
  expect(
    await rig.query('SELECT state, channel_id IS NOT NULL AS is_channel FROM paid_call ORDER BY created_at'),
  ).toEqual(answers.map(() => ({ state: 'delivered', is_channel: true })));
  expect(await rig.audit()).toEqual([]);
});

test('before a provider is asked, the charge is on disk; for work of our own it is with the answer', async () => {
  // Records how each change of a channel was committed.
  await rig.query('CREATE TABLE charge_commit (id serial PRIMARY KEY, is_flushed boolean NOT NULL)');
  await rig.query(`CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO charge_commit (is_flushed) VALUES (current_setting('synchronous_commit') <> 'off');
      RETURN NULL;
    END;
    $$`);
  await rig.query(`CREATE TRIGGER commit_noted AFTER UPDATE OF charged_atomic ON channel
    FOR EACH ROW WHEN (OLD.charged_atomic <> NEW.charged_atomic) EXECUTE FUNCTION note_commit()`);
  const search = () => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: 'charged first' }),
  });
  const { fetch } = channelClient(rig, await rig.newEvmPayer());
  // The first call comes with a deposit, the others only with vouchers.
  for (const [path, order] of [
    ['neural/search', search],
    ['neural/search', search],
    ['uploads', upload],
  ] as const)
    expect((await fetch(`${rig.apiUrl}/v1/${path}`, order())).status, path).toBe(200);
  const commits = await rig.query<{ is_flushed: boolean }>(
    'SELECT is_flushed FROM charge_commit ORDER BY id',
  );
  expect(commits.map(({ is_flushed }) => is_flushed)).toEqual([true, true, false]);
});
