import { encodeAbiParameters, encodeEventTopics, type Hex, type Log, pad } from 'viem';
import { authorizedTransfers, carriesPayment } from '@/lib/payments/evm/authorized-transfers';
import { incomingPayments } from '@/lib/payments/evm/evm-incoming-payments';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import { tokenAbi } from '@/lib/payments/evm/usdc-token';
import type { Offer } from '@/lib/payments/network-offers';
import type { Payment } from '@/lib/payments/payment';
import { expect, test } from '../support/without-browser';

const token = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const payer = '0x1111111111111111111111111111111111111111';
const other = '0x2222222222222222222222222222222222222222';
const payTo = '0x3333333333333333333333333333333333333333';
const nonces = ['0x01', '0x02', '0x03'].map((nonce) => pad(nonce as Hex));
const [first = '0x', second = '0x', third = '0x'] = nonces;

function log(topics: readonly unknown[], data: Hex, address: Hex = token): Log<bigint, number, false> {
  return { address, topics, data } as Log<bigint, number, false>;
}

function used(nonce: Hex, address?: Hex) {
  const topics = encodeEventTopics({
    abi: tokenAbi,
    eventName: 'AuthorizationUsed',
    args: { authorizer: payer, nonce },
  });
  return log(topics, '0x', address);
}

function transfer(from: Hex, to: Hex, value: bigint, address?: Hex) {
  const topics = encodeEventTopics({ abi: tokenAbi, eventName: 'Transfer', args: { from, to } });
  return log(topics, encodeAbiParameters([{ type: 'uint256' }], [value]), address);
}

/** For each of the three nonces, whether the transaction carries its payment of 5,000. */
function paidBy(logs: Log<bigint, number, false>[], status: 'success' | 'reverted' = 'success'): boolean[] {
  return nonces.map((authorization) => {
    const payment = { payer, payTo, asset: token, amountAtomic: 5_000n, authorization };
    return carriesPayment({ status, logs }, payment as unknown as Payment<EvmSigned>);
  });
}

test('each payment of a transaction is the authorization and the transfer that follows it', () => {
  const logs = [used(first), transfer(payer, payTo, 5_000n), used(second), transfer(payer, payTo, 5_000n)];
  expect(paidBy(logs)).toEqual([true, true, false]);
});

test('a transfer belongs to one authorization alone, whichever others are used beside it', () => {
  const logs = [
    ...[used(first), transfer(payer, payer, 0n)],
    ...[used(second), transfer(payer, other, 0n)],
    ...[used(third), transfer(payer, payTo, 5_000n)],
  ];
  expect(paidBy(logs)).toEqual([false, false, true]);
  expect(incomingPayments({ logs }, { asset: token, payTo } as Offer)).toEqual([
    { payer, authorization: third, amountAtomic: 5_000n },
  ]);
});

test('a transfer without an authorization pays for nothing', () => {
  expect(paidBy([used(first), transfer(payer, payer, 0n), transfer(payer, payTo, 5_000n)])).toEqual([
    ...[false, false, false],
  ]);
  expect(paidBy([transfer(payer, payTo, 5_000n), used(first)])).toEqual([false, false, false]);
});

test('a transfer of another wallet, to another wallet or of another amount pays for nothing', () => {
  const others = [
    transfer(other, payTo, 5_000n),
    transfer(payer, other, 5_000n),
    transfer(payer, payTo, 4_999n),
  ];
  for (const transferred of others) expect(paidBy([used(first), transferred])).toEqual([false, false, false]);
});

test('events of other contracts neither pay nor come between', () => {
  expect(paidBy([used(first, other), transfer(payer, payTo, 5_000n, other)])).toEqual([false, false, false]);
  expect(paidBy([used(first), transfer(payer, payTo, 5_000n, other)])).toEqual([false, false, false]);
  expect(paidBy([used(first), used(second, other), transfer(payer, payTo, 5_000n)])[0]).toBe(true);
});

test('a reverted transaction pays for nothing', () => {
  expect(paidBy([used(first), transfer(payer, payTo, 5_000n)], 'reverted')).toEqual([false, false, false]);
});

test('a deposit is read by its payer, its nonce and where the token went first', () => {
  const logs = [used(first), transfer(payer, other, 1_000_000n), transfer(other, payTo, 1_000_000n)];
  expect(authorizedTransfers(logs, token)).toEqual([
    { from: payer, nonce: first, to: other, valueAtomic: 1_000_000n },
  ]);
});
