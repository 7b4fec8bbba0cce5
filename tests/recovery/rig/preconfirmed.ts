import { expect } from '@playwright/test';
import type { Hex } from 'viem';
import type { PreconfirmingNode } from '../../support/preconfirming-node';
import { transfersOf, untilState, uploadsOf } from './found';
import { mine } from './own-chain';
import { ask, type SignedRequest } from './requests';
import type { Rig } from './rig';
import { until } from './waiting';

export const synchronous = 'eth_sendRawTransactionSync';
const usual = 'eth_sendRawTransaction';

/** The transaction that settles the payer's one call: its state, hash and block in the ledger. */
export async function settlementOf(rig: Pick<Rig, 'query'>, payer: string) {
  const [row] = await rig.query<{ state: string; hash: Hex; block_hash: string | null }>(
    `SELECT settlement.state, hash, block_hash FROM settlement_transaction settlement
     JOIN paid_call ON settlement_id = settlement.id WHERE payer = $1`,
    [payer],
  );
  return row;
}

const untilSettlement = (rig: Rig, payer: string, state: string) =>
  until(`a ${state} settlement`, async () => {
    const settlement = await settlementOf(rig, payer);
    return settlement?.state === state ? settlement : null;
  });

/** What was posted for the payer's calls, in order. */
export async function postingsOf(rig: Rig, payer: string): Promise<string[]> {
  const rows = await rig.query<{ kind: string; round: number }>(
    `SELECT kind, round FROM posting JOIN paid_call ON paid_call.id = paid_call_id WHERE payer = $1 ORDER BY posting.id`,
    [payer],
  );
  return rows.map(({ kind, round }) => `${round} ${kind}`);
}

export async function movesOf(rig: Rig, payer: string): Promise<string[]> {
  const rows = await rig.query<{ to_state: string }>(
    `SELECT to_state::text FROM paid_call_move JOIN paid_call ON paid_call.id = paid_call_id WHERE payer = $1
     ORDER BY paid_call_move.id`,
    [payer],
  );
  return rows.map(({ to_state }) => to_state);
}

/** Expects that the payment is in a block, once, that there is one upload, and that the payment is posted once, net of reversals. */
export async function expectPaidOnceInBlock(rig: Rig, payer: string): Promise<void> {
  const { hash, block_hash } = await untilSettlement(rig, payer, 'confirmed');
  await untilState(rig, payer, 'delivered');
  expect(block_hash).toMatch(/^0x(?!0+$)/);
  expect(await transfersOf(rig, payer)).toEqual([hash]);
  expect(await uploadsOf(rig, payer)).toHaveLength(1);
  const net = (await postingsOf(rig, payer)).filter((posting) => !posting.includes('_reversed'));
  const reversed = (await postingsOf(rig, payer)).filter((posting) => posting.includes('_reversed'));
  expect(net.length - reversed.length).toBe(2);
  expect(await rig.audit()).toEqual([]);
}

/** Breaks the pre-confirmation of a transaction, and keeps it from being sent again until released. */
export async function lose(rig: Pick<Rig, 'base'>, node: PreconfirmingNode, hash: Hex) {
  const rules = [usual, synchronous].map((method) => rig.base.on(method, async () => ({ fault: 'close' })));
  await node.lose(hash);
  return {
    sendAgain() {
      for (const rule of rules) rule.remove();
    },
  };
}

/** Sends a request whose payment the node pre-confirms, and expects no answer until the payment is in a block. */
export async function expectToWaitForBlock(
  rig: Rig,
  node: Pick<PreconfirmingNode, 'preconfirmed'>,
  request: SignedRequest,
): Promise<void> {
  const before = node.preconfirmed.length;
  const answer = ask(request);
  await until('the pre-confirmation', async () => node.preconfirmed.length > before);
  const asked = rig.base.count('eth_getTransactionReceipt');
  await until('more polls', async () => rig.base.count('eth_getTransactionReceipt') > asked + 3);
  expect(await settlementOf(rig, request.payer)).toMatchObject({ state: 'prepared', block_hash: null });
  expect(await postingsOf(rig, request.payer)).toEqual([]);
  await mine(rig);
  expect((await answer).status).toBe(200);
}
