import { expect } from '@playwright/test';
import type { QueryResultRow } from 'pg';
import { createPublicClient, type Hex, http, parseAbi } from 'viem';
import { rpcCall } from '@/local/json-rpc';
import { network } from '../../support/stack';
import type { PaidAt } from './requests';
import type { Rig } from './rig';
import { until } from './waiting';

export interface CallRow extends QueryResultRow {
  readonly id: string;
  readonly state: string;
  readonly network: string;
  readonly transaction_hash: string | null;
  readonly refusal_reason: string | null;
}

export function callsOf(rig: Pick<Rig, 'query'>, payer: string): Promise<CallRow[]> {
  return rig.query<CallRow>(
    'SELECT id, state::text, network, transaction_hash, refusal_reason FROM paid_call WHERE payer = $1 ORDER BY created_at',
    [payer],
  );
}

/** Waits until the payer's one call is in a state. */
export async function untilState(
  rig: Pick<Rig, 'query'>,
  payer: string,
  state: string,
  timeoutMs = 30_000,
): Promise<CallRow> {
  let seen = 'no call';
  try {
    return await until(
      state,
      async () => {
        const [call] = await callsOf(rig, payer);
        seen = call?.state ?? seen;
        return call?.state === state ? call : null;
      },
      timeoutMs,
    );
  } catch {
    throw new Error(`the call is not ${state} after ${timeoutMs} ms but ${seen}`);
  }
}

/** The IDs of a wallet's uploads. */
export async function uploadsOf(rig: Pick<Rig, 'query'>, owner: string): Promise<string[]> {
  const rows = await rig.query<{ id: string }>('SELECT id FROM upload WHERE owner = $1', [owner]);
  return rows.map(({ id }) => id);
}

const transferEvent = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])[0];

/**
 * The transactions that moved tokens from a wallet to the rig's payee, on base or Solana by default. For an account or a
 * channel, the postings that moved money out of it.
 */
export async function transfersOf(
  rig: Pick<Rig, 'chainUrl' | 'payTo' | 'query'>,
  payer: string,
  on: PaidAt = payer.startsWith('0x') ? 'base' : 'solana-mainnet',
): Promise<string[]> {
  if (on === 'account') {
    const charges = await rig.query<{ id: string }>('SELECT id::text FROM posting WHERE debit_account = $1', [
      `account:${payer}`,
    ]);
    return charges.map(({ id }) => id);
  }
  if (on === 'channel') {
    const charges = await rig.query<{ id: string }>(
      `SELECT posting.id::text FROM posting JOIN paid_call ON paid_call.id = paid_call_id
       WHERE debit_account = 'chain:base:unclaimed' AND payer = $1`,
      [payer],
    );
    return charges.map(({ id }) => id);
  }
  if (on !== 'solana-mainnet') {
    const logs = await createPublicClient({ transport: http(rig.chainUrl(on)) }).getLogs({
      address: network(on).usdc as Hex,
      event: transferEvent,
      args: { from: payer as Hex, to: rig.payTo.evm },
      fromBlock: 0n,
    });
    return logs.map(({ transactionHash }) => transactionHash);
  }
  const records = (await rpcCall(rig.chainUrl(on), 'getSignaturesForAddress', [
    payer,
    { commitment: 'confirmed' },
  ])) as { signature: string; err: unknown }[];
  return records.filter(({ err }) => err === null).map(({ signature }) => signature);
}

/** Expects that a wallet paid us once and has the one upload that it paid for, and that the books agree with the chains. */
export async function expectPaidAndDeliveredOnce(rig: Rig, payer: string): Promise<void> {
  expect(await transfersOf(rig, payer)).toHaveLength(1);
  expect(await uploadsOf(rig, payer)).toHaveLength(1);
  expect(await rig.audit()).toEqual([]);
}
