import { paidCases } from '@/packages/seller-check/paid/cases';
import { startRig } from '@/packages/seller-check/paid/rig';
import { runPaidCases } from '@/packages/seller-check/paid/run';
import type { CaseResult } from '@/packages/seller-check/run-cases';
import { expect, test } from '../support/without-browser';

/** Runs cases against the seller with a flaw. */
async function check(flaw: string, ids: (id: string) => boolean): Promise<CaseResult[]> {
  const rig = await startRig();
  try {
    const around = await rig.start({
      command: [process.execPath, 'tests/support/sellers/careless.mjs'],
      env: { FLAW: flaw, DIGEST: 'yes' },
      target: {
        method: 'POST',
        path: '/words',
        mppPath: '/words',
        body: '{"text":"one two three"}',
        otherBody: '{"text":"one two"}',
        otherPath: '/letters',
        invalidBody: '{"text":5}',
        failingBody: '{"text":"fail"}',
      },
    });
    return await runPaidCases(
      paidCases.filter(({ id }) => ids(id)),
      around,
    );
  } finally {
    await rig.close();
  }
}

const failedIds = (results: readonly CaseResult[]) =>
  results.filter(({ finding }) => finding.result === 'fail').map(({ id }) => id);

/** The cases that each flaw must fail, among others. */
const flaws: Readonly<Record<string, readonly string[]>> = {
  'never settles': ['paid.x402-official-client', 'paid.exact-amount', 'flood.unpaid', 'flood.many-payers'],
  'charges and refuses': [
    'paid.x402-official-client',
    'paid.two-calls',
    'flood.one-payer',
    'facilitator.settle-twice',
  ],
  'refuses and charges later': ['ledger.late-charges'],
  'charges for invalid input': ['paid.invalid-input'],
  'says nothing about the settlement': ['paid.x402-payment-response'],
  'names another transaction': ['paid.x402-transaction'],
  'names another network': ['paid.x402-network-and-payer'],
  'serves known payers': ['paid.two-calls'],
  'serves again': ['repeats.x402-afterwards', 'repeats.x402-other-body', 'repeats.identifier-same-payload'],
  'serves any request for a used payment': [
    'repeats.x402-other-body',
    'repeats.x402-other-path',
    'authorization.high-s-again',
  ],
  forgets: [
    'repeats.identifier-same-payload',
    'repeats.identifier-payment-response',
    'facilitator.settle-answer-lost',
    'facilitator.settle-answer-500',
    'facilitator.settle-answer-nonsense',
    'restart.after-submission',
  ],
  'serves what was not verified': ['facilitator.verify-says-invalid', 'facilitator.verify-answers-500'],
  'does not wait for a slow settlement': ['facilitator.settle-slow'],
  'serves one call': ['paid.two-calls', 'reorganization.after-delivery'],
  'trusts the requirements of the client': [
    'authorization.x402-other-payee-accepted',
    'authorization.x402-amount-lower-accepted',
    'authorization.x402-amount-zero',
  ],
  'serves although the settlement failed': [
    'balance.two-together',
    'balance.spent-before-settlement',
    'balance.canceled-before-settlement',
    'balance.blocked-before-settlement',
    'facilitator.settle-fails',
    'facilitator.settle-answers-500',
  ],
  'trusts when nothing answers': [
    'facilitator.verify-down',
    'facilitator.verify-answers-nonsense',
    'facilitator.settle-down',
    'facilitator.settle-answers-nonsense',
  ],
  'serves before the settlement': ['node.not-included'],
  'refuses under load': ['flood.many-payers', 'flood.one-payer'],
};

test.describe.configure({ timeout: 300_000 });

/** `npm run test:sweep -- tests/local/careless-sellers.spec.ts` runs the others too: each starts a chain and a seller. */
const usual: readonly string[] = [
  'never settles',
  'serves again',
  'forgets',
  'serves although the settlement failed',
];
const inSweep = { tag: '@sweep' } as const;

test('a seller without a flaw keeps the rules of x402', async () => {
  const results = await check('', (id) => /^(paid\.x402|repeats\.x402|authorization\.x402|balance)/.test(id));
  expect(failedIds(results)).toEqual([]);
});

for (const [flaw, ids] of Object.entries(flaws)) {
  test(`a seller that ${flaw} is found`, usual.includes(flaw) ? {} : inSweep, async () => {
    // The window of ten years is for the flaw that only shows later.
    const results = await check(flaw, (id) => ids.includes(id) || id === 'authorization.long-window');
    expect(failedIds(results).toSorted()).toEqual(expect.arrayContaining([...ids].toSorted()));
  });
}

test(
  'every case fails for a seller that takes anything, or for one with a flaw that it is meant for',
  inSweep,
  async () => {
    const results = await check('takes anything', () => true);
    const failed = new Set([...failedIds(results), ...Object.values(flaws).flat()]);
    expect(results.map(({ id }) => id).filter((id) => !failed.has(id))).toEqual([]);
    expect(results.filter(({ finding }) => finding.result === 'error')).toEqual([]);
  },
);
