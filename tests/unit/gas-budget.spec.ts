import type { AccountCode } from '@/lib/payments/evm/account-code';
import { gasLimitsOfCode } from '@/lib/payments/evm/evm-gas';
import { freeAgainAt, GasBudget } from '@/lib/payments/gas-budget';
import type { GasFailure, GasQuery } from '@/lib/payments/journal';
import { systemClock } from '@/lib/platform/clock';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const hourMs = 3_600_000;
const startedAt = Date.UTC(2026, 0, 1);
const failureGas = 280_000n;

interface Failure extends GasFailure {
  readonly payer: string;
  readonly code: string;
}

/** A budget on a ledger in memory, with a clock that the test sets. Every payer has code of its own unless one is given. */
function openBudget() {
  const time = { now: startedAt };
  const failures: Failure[] = [];
  const paid = new Set<string>();
  const sum = (some: Failure[]) => ({
    gas: some.reduce((all, { gas }) => all + gas, 0n),
    oldest: some[0]?.at ?? null,
  });
  const journal = {
    gasInVain: async (_: string, payer: string, code: string | null, by: GasQuery) => {
      const ofAll = failures.filter(({ at }) => at > by.ofOthersSince);
      return {
        ofPayer: failures.filter((one) => one.payer === payer && one.at > by.ofPayerSince),
        byCode: sum(ofAll.filter((one) => one.code === code)),
        byClient: sum(ofAll.filter((one) => by.sameClient.includes(one.payer))),
        byAll: sum(ofAll),
        hasPaid: paid.has(payer),
      };
    },
    payersOfGasInVain: async () => [...new Set(failures.map(({ payer }) => payer))],
  };
  const clock = { ...systemClock, now: () => time.now };
  const budget = new GasBudget(testPlatform({}, clock), 'base', gasLimitsOfCode, journal);
  const codeOf = (name: string): AccountCode => ({ id: `0x${Buffer.from(name).toString('hex')}` });
  return {
    time,
    paid,
    /** Seconds that a payer has to wait; 0 when it may pay. */
    async wait(payer: string, client = payer, code = payer): Promise<number> {
      budget.noteClient(payer, client);
      return (await budget.allowanceOf(payer, codeOf(code))).over?.retryAfterSeconds ?? 0;
    },
    /** Seconds that a payer without code has to wait. */
    waitOfKey: async (payer: string) => (await budget.allowanceOf(payer, null)).over?.retryAfterSeconds ?? 0,
    fail(payer: string, code = payer): void {
      failures.push({ payer, code: codeOf(code).id, gas: failureGas, at: new Date(time.now) });
      budget.note(payer);
    },
  };
}

test('wallets that have each their own code and client share one hourly budget, and those who have paid go on', async () => {
  const { time, paid, wait, fail } = openBudget();
  let failed = 0;
  for (; failed < 1_000 && (await wait(`wallet ${failed}`)) === 0; failed += 1) fail(`wallet ${failed}`);
  expect(failed).toBeGreaterThan(15);
  expect(BigInt(failed) * failureGas).toBeLessThan(6_000_000n);
  expect(await wait('newcomer')).toBe(3_600);
  paid.add('regular');
  expect(await wait('regular')).toBe(0);
  // Having paid once does not excuse a failure of one's own.
  paid.add('wallet 0');
  expect(await wait('wallet 0')).toBe(3_600);
  time.now += hourMs;
  expect(await wait('newcomer')).toBe(0);
});

test('wallets with the same code share its budget, and those with other code, keys and those who have paid go on', async () => {
  const { paid, wait, waitOfKey, fail } = openBudget();
  const waitOf = (payer: string) => wait(payer, payer, 'code');
  let failed = 0;
  for (; failed < 1_000 && (await waitOf(`wallet ${failed}`)) === 0; failed += 1)
    fail(`wallet ${failed}`, 'code');
  expect(BigInt(failed) * failureGas).toBeLessThan(3_000_000n);
  expect(await waitOf('newcomer')).toBe(3_600);
  expect(await wait('newcomer with other code')).toBe(0);
  expect(await waitOfKey('a key')).toBe(0);
  paid.add('regular');
  expect(await waitOf('regular')).toBe(0);
});

test('wallets from one client network share a smaller budget, and newcomers from elsewhere are not refused for it', async () => {
  const { paid, wait, fail } = openBudget();
  let failed = 0;
  for (; failed < 1_000 && (await wait(`wallet ${failed}`, 'client')) === 0; failed += 1)
    fail(`wallet ${failed}`);
  expect(BigInt(failed) * failureGas).toBeLessThan(3_600_000n);
  expect(await wait('newcomer', 'client')).toBeGreaterThan(0);
  expect(await wait('newcomer', 'another client')).toBe(0);
  paid.add('regular');
  expect(await wait('regular', 'client')).toBe(0);
});

test('a payer that uses up its budget again waits twice as long each time, at most a day, and a week later an hour again', async () => {
  const { time, wait, fail } = openBudget();
  const waited: number[] = [];
  for (let times = 0; times < 8; times += 1) {
    while ((await wait('wallet')) === 0) fail('wallet');
    const seconds = await wait('wallet');
    waited.push(seconds / 3_600);
    time.now += seconds * 1_000;
  }
  expect(waited).toEqual([1, 2, 4, 8, 16, 24, 24, 24]);
  time.now += 7 * 24 * hourMs;
  while ((await wait('wallet')) === 0) fail('wallet');
  expect(await wait('wallet')).toBe(3_600);
});

test('failures that stay below the hourly budget never make a payer wait, however many they are', () => {
  const failures = Array.from({ length: 100 }, (_, index) => ({
    at: new Date(startedAt + index * hourMs * 0.4),
    gas: failureGas,
  }));
  expect(freeAgainAt(failures, gasLimitsOfCode)).toBe(0);
  const larger = failures.map(({ at }) => ({ at, gas: 1_000_000n }));
  expect(freeAgainAt(larger, gasLimitsOfCode)).toBeGreaterThan(0);
});
