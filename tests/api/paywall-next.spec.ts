import { balanceOf } from '../support/balances';
import { payingFetch } from '../support/buyer';
import { newEvmPayer } from '../support/payers';
import { endPaywall, paywallSettings } from '../support/paywall-package';
import { startNextExample } from '../support/sellers';
import { expect, test } from '../support/without-browser';

test('the example for Next.js builds with the package, and the official x402 client buys from it', async () => {
  test.setTimeout(400_000);
  const { payee, env } = await paywallSettings();
  const server = await startNextExample(env);
  try {
    const payer = await newEvmPayer();
    const answer = await payingFetch(payer, 'base')(`${env.PUBLIC_URL}/words`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ text: 'one two three' }),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { words: 3 }]);
    expect(await balanceOf(payee, 'base')).toBe(1_000n);
  } finally {
    await endPaywall(server);
  }
});
