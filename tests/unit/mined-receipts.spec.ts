import type { TransactionReceipt } from 'viem';
import { commonReceipt, isMined } from '@/lib/payments/evm/mined-receipts';
import { expect, test } from '../support/without-browser';

const blockHash = `0x${'b1'.repeat(32)}`;
const noHash = `0x${'0'.repeat(64)}`;
const receipt = (changes: Partial<Record<keyof TransactionReceipt, unknown>> = {}) =>
  // The functions read no other fields.
  ({ status: 'success', logs: [], blockHash, blockNumber: 7n, ...changes }) as unknown as TransactionReceipt;

test('a receipt without a block proves nothing, also when every node returns it', () => {
  for (const promised of [{ blockHash: noHash }, { blockHash: null }, { blockNumber: null }]) {
    expect(isMined(receipt(promised) as Parameters<typeof isMined>[0])).toBe(false);
    expect(commonReceipt([receipt(promised)])).toBeNull();
    expect(commonReceipt([receipt(promised), receipt(promised)])).toBeNull();
    expect(commonReceipt([receipt(), receipt(promised)])).toBeNull();
  }
});

test('nodes agree on a receipt when its block and its effects are the same', () => {
  const log = { address: '0xAB', topics: ['0x01'], data: '0x' };
  const one = receipt({ logs: [log] });
  expect(commonReceipt([one, receipt({ logs: [{ ...log, address: '0xab' }] })])).toBe(one);
  for (const other of [
    { logs: [] },
    { logs: [log], status: 'reverted' },
    { logs: [log], blockHash: `0x${'b2'.repeat(32)}` },
  ])
    expect(commonReceipt([one, receipt(other)])).toBeNull();
  expect(commonReceipt([one, null])).toBeNull();
});
