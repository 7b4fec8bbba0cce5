import { getBase58Encoder } from '@solana/kit';
import { Keypair, VersionedTransaction } from '@solana/web3.js';
import { createWalletClient, type Hex, http, parseAbi } from 'viem';
import { base } from 'viem/chains';
import { type App, createApp } from '@/lib/app';
import type { Operator } from '@/lib/operator/actions';
import { systemClock } from '@/lib/platform/clock';
import { createLog } from '@/lib/platform/log';
import { parseSettings } from '@/lib/platform/settings';
import { topUpGas, topUpUsdc } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { shortTimings } from '../../support/timings';
import { depositInto, openAccount } from './accounts';
import { untilState } from './found';
import { type Answer, ask, sign, type X402Request } from './requests';
import type { Rig, Wallet } from './rig';
import { usdc } from './strangers';
import { until } from './waiting';

export const operator: Operator = { name: 'console:test', address: '127.0.0.1' };

/** An operator's process on the rig's database and chains: the functions that the console and the program call. */
export function openOperator(rig: Rig, changed: Record<string, string> = {}, clock = systemClock): App {
  return createApp({
    clock,
    settings: parseSettings({ ...rig.operatorSettings, ...changed }),
    timings: shortTimings,
    log: createLog({ LOG_LEVEL: 'silent' }),
  });
}

/** A sold call, and the request that bought it. */
export interface SoldCall {
  readonly id: string;
  readonly request: X402Request;
  readonly answer: Answer;
  readonly wallet: Wallet;
}

/** Sells an upload to a new wallet. */
export async function sell(rig: Rig, wallet: Wallet): Promise<SoldCall> {
  const request = await sign(rig, wallet);
  const answer = await ask(request);
  if (answer.status !== 200) throw new Error(`not sold: ${JSON.stringify(answer.body)}`);
  return { id: answer.headers.get('paid-call-id') ?? '', request, answer, wallet };
}

/** Sells a one-dollar deposit into an account that is revoked meanwhile, so it is paid but cannot be delivered. */
export async function sellInVain(rig: Rig, wallet: Wallet): Promise<SoldCall> {
  const account = await openAccount(rig);
  const request = await depositInto(rig, account, wallet);
  const isEvm = 'signTypedData' in wallet;
  const held = rig
    .proxy(isEvm ? 'base' : 'solana-mainnet')
    .hold(isEvm ? 'eth_getTransactionReceipt' : 'getSignatureStatuses', 'before');
  const asked = ask(request);
  await held.reached;
  await fetch(`${rig.apiUrl}/v1/account/token`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${account.token}` },
  });
  held.release();
  const answer = await asked;
  const { id } = await untilState(rig, wallet.address, 'needs_attention');
  return { id, request, answer, wallet };
}

/** Makes all current blocks of both chains final, and waits until the ledger has recorded this for a call's payment. */
export async function makeFinal(rig: Rig, { id }: Pick<SoldCall, 'id'>): Promise<void> {
  await rpcCall(rig.chainUrl('base'), 'anvil_mine', ['0x8']);
  await rpcCall(rig.chainUrl('solana-mainnet'), 'tuppence_advanceSlots', [40]);
  await until('a final payment', async () => {
    const rows = await rig.query(
      `SELECT FROM paid_call JOIN settlement_transaction settlement ON settlement.id = settlement_id
       WHERE paid_call.id = $1 AND final_at IS NOT NULL`,
      [id],
    );
    return rows.length === 1;
  });
}

const transferAbi = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);

/** Makes a transfer on base, by default from the treasury, and waits until it is in a block. */
export async function transferOnBase(
  rig: Rig,
  to: string,
  value: bigint,
  {
    from = rig.treasury.evm,
    token = usdc as Hex,
    gas,
  }: { from?: typeof rig.treasury.evm; token?: Hex; gas?: bigint } = {},
): Promise<Hex> {
  const hash = await sendOnBase(rig, to, value, { from, token, gas });
  await until('a block', async () =>
    Boolean(await rpcCall(rig.chainUrl('base'), 'eth_getTransactionReceipt', [hash])),
  );
  return hash;
}

/** The same, but without waiting for the block. */
async function sendOnBase(
  rig: Rig,
  to: string,
  value: bigint,
  {
    from = rig.treasury.evm,
    token = usdc as Hex,
    gas,
  }: { from?: typeof rig.treasury.evm; token?: Hex; gas?: bigint } = {},
): Promise<Hex> {
  const url = rig.chainUrl('base');
  await fundOnBase(rig, from.address);
  const client = createWalletClient({ account: from, chain: base, transport: http(url) });
  const call = { abi: transferAbi, functionName: 'transfer', args: [to as Hex, value] } as const;
  return client.writeContract({ ...call, address: token, gas: gas ?? 100_000n });
}

/** Gives a wallet USDC, and the gas to send it. */
async function fundOnBase(rig: Rig, address: Hex): Promise<void> {
  const url = rig.chainUrl('base');
  await topUpGas(url, address, 10n ** 18n);
  await topUpUsdc(url, usdc, [address], 10_000_000n, 10_000_000n);
}

/** Gives the treasury the funds for refunds on both chains. */
export async function fundTreasury(rig: Rig): Promise<void> {
  const url = rig.chainUrl('solana-mainnet');
  await fundOnBase(rig, rig.treasury.evm.address);
  await rpcCall(url, 'requestAirdrop', [rig.payTo.solana, 1_000_000_000]);
  await rpcCall(url, 'tuppence_setTokenBalance', [rig.payTo.solana, '10000000']);
}

/** The treasury's key on Solana. */
export function solanaTreasury(rig: Rig): Keypair {
  return Keypair.fromSecretKey(new Uint8Array(getBase58Encoder().encode(rig.treasury.solana)));
}

/** Signs a transaction as the treasury's wallet on Solana does, and sends nothing. @returns base64 */
export function signOnSolana(rig: Rig, transaction: string): string {
  const signed = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
  signed.sign([solanaTreasury(rig)]);
  return Buffer.from(signed.serialize()).toString('base64');
}

/** Signs a transaction as the treasury's wallet does and sends it to Solana. @returns its signature */
export async function sendOnSolana(rig: Rig, transaction: string): Promise<string> {
  const url = rig.chainUrl('solana-mainnet');
  await fundTreasury(rig);
  const wire = signOnSolana(rig, transaction);
  const signature = await rpcCall(url, 'sendTransaction', [
    wire,
    { encoding: 'base64', preflightCommitment: 'confirmed' },
  ]);
  await until('a slot', async () => {
    const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    return Boolean(await rpcCall(url, 'getTransaction', [signature, config]));
  });
  return String(signature);
}

/** The public status of a call. */
export async function statusOf(rig: Rig, { id }: Pick<SoldCall, 'id'>) {
  return (await fetch(`${rig.apiUrl}/v1/paid-calls/${id}`)).json();
}

/** The states of a call's refunds, oldest first. */
export async function refundStates(rig: Rig, { id }: Pick<SoldCall, 'id'>): Promise<string[]> {
  const rows = await rig.query<{ state: string }>(
    'SELECT state::text FROM refund WHERE paid_call_id = $1 ORDER BY round',
    [id],
  );
  return rows.map(({ state }) => state);
}
