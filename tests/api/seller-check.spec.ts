import { freeCases } from '@/packages/seller-check/free/cases';
import { UnpaidSeller } from '@/packages/seller-check/free/seller';
import { type CaseResult, runCases } from '@/packages/seller-check/run-cases';
import { aFile } from '../support/files';
import { sale, withShop } from '../support/paywall-shop';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';

const check = (url: string, method: string, body?: string) =>
  runCases(freeCases, new UnpaidSeller({ url: new URL(url), method, headers: [], body }, 3_000));

/** The rules that are broken, and those that could not be checked. */
const brokenBy = (results: readonly CaseResult[]) =>
  results.flatMap(({ id, finding }) =>
    finding.result === 'fail' || finding.result === 'error' ? [`${id}: ${finding.detail}`] : [],
  );

test('our calls keep every rule that needs no money, over x402', async () => {
  const results = await check(`${stack().apiUrl}/v1/uploads`, 'POST', aFile().body);
  expect(brokenBy(results)).toEqual([]);
});

test('our calls without a body keep every rule that needs no money', fullOnly, async () => {
  expect(brokenBy(await check(`${stack().apiUrl}/v1/flights/offers/off_1`, 'GET'))).toEqual([]);
});

test('our calls keep every rule that needs no money, over MPP', fullOnly, async () => {
  const results = await check(`${stack().apiUrl}/v1/mpp/uploads`, 'POST', aFile().body);
  expect(brokenBy(results)).toEqual([]);
});

for (const path of ['/words', '/mpp/words']) {
  test(`a paywall keeps every rule that needs no money, at ${path}`, fullOnly, () =>
    withShop(
      (paywall) => paywall.sell(sale),
      async ({ url }) => {
        const results = await check(url + path, 'POST', JSON.stringify({ text: 'one two' }));
        expect(brokenBy(results)).toEqual([]);
      },
    ),
  );
}
