import { extractReceiptFromResponse } from '@x402/extensions/offer-receipt';
import { expectLogged } from '../support/logged';
import { expect, test } from './fixtures';
import { sell } from './rig/refunds';

test('a receipt that cannot be signed does not hold up a paid call, and the next call has one again', async ({
  rig,
}) => {
  // Restarted, so that the server has not loaded its key yet.
  await rig.restart();
  await rig.query('ALTER TABLE receipt_key RENAME TO receipt_key_elsewhere');
  const without = await sell(rig, await rig.newEvmPayer()).finally(() =>
    rig.query('ALTER TABLE receipt_key_elsewhere RENAME TO receipt_key'),
  );
  const next = await sell(rig, await rig.newEvmPayer());
  const receiptIn = (headers: Headers) => extractReceiptFromResponse(new Response(null, { headers }));
  expect(receiptIn(without.answer.headers)).toBeUndefined();
  expect(receiptIn(next.answer.headers)).toMatchObject({ format: 'jws' });
  await expectLogged(rig.server(), 'a receipt was not signed');
  expect(await rig.audit()).toEqual([]);
});
