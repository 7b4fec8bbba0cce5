import { gasInVain } from '@/lib/payments/evm/evm-gas';
import type { EvmCharge } from '@/lib/payments/evm/settlement-transaction';
import { expect, test } from '../support/without-browser';

const charges = ['a', 'b', 'c', 'd'].map(
  (name) => ({ paidCallId: `pc_${name}`, payment: { payer: name } }) as unknown as EvmCharge,
);
const [first, second] = charges as [EvmCharge, EvmCharge];

test('no gas is wasted when every payment succeeded', () => {
  expect(gasInVain({ gasUsed: 211_974n, status: 'success' }, charges, [])).toEqual({ total: 0n, shares: [] });
});

test('a payment that burned its gas is blamed for the unexplained gas, up to its limit', () => {
  const { total, shares } = gasInVain({ gasUsed: 289_872n, status: 'success' }, charges, [second]);
  expect(shares).toEqual([{ paidCallId: 'pc_b', payer: 'b', gas: 118_872n }]);
  expect(total).toBe(118_872n);
  expect(gasInVain({ gasUsed: 900_000n, status: 'success' }, charges, [second]).total).toBe(120_000n);
});

test('several failed payments share the rest', () => {
  const { shares } = gasInVain({ gasUsed: 281_000n, status: 'success' }, charges, [first, second]);
  expect(shares.map(({ gas }) => gas)).toEqual([80_000n, 80_000n]);
});

test('all gas of a transaction without a successful payment is wasted', () => {
  expect(gasInVain({ gasUsed: 290_000n, status: 'success' }, [first], [first])).toEqual({
    total: 290_000n,
    shares: [{ paidCallId: 'pc_a', payer: 'a', gas: 290_000n }],
  });
});

test('a reverted transaction with several payments blames nobody', () => {
  expect(gasInVain({ gasUsed: 660_000n, status: 'reverted' }, charges, charges)).toEqual({
    total: 660_000n,
    shares: [],
  });
});
