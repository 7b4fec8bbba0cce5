import { BATCH_SETTLEMENT_ADDRESS, type ChannelConfig, toClientEvmSigner } from '@x402/evm';
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import {
  type ContractFunctionArgs,
  type ContractFunctionName,
  createPublicClient,
  createWalletClient,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  http,
  publicActions,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount } from 'viem/accounts';
import { batchSettlementAbi } from '@/lib/payments/channels/abi';
import { topUpGas } from '@/local/evm/funding';
import { aFile } from '../../support/files';
import { type Rig, type RigOptions, startRig } from './rig';

/** A rig that offers payment channels on base, with its server up. */
export async function startChannelRig(options: RigOptions = {}): Promise<Rig> {
  const rig = await startRig({
    networks: ['base'],
    ...options,
    settings: { BATCH_SETTLEMENT: 'base', BATCH_AUTHORIZER_KEY: generatePrivateKey(), ...options.settings },
  });
  await rig.start();
  return rig;
}

/** The official client with the scheme for channels alone, which is how a buyer chooses them. */
export function channelClient(
  rig: Pick<Rig, 'chainUrl'>,
  payer: PrivateKeyAccount,
  { storage = new InMemoryClientChannelStorage(), readsChain = true } = {},
) {
  const chain = createPublicClient({ transport: http(rig.chainUrl('base')) });
  const signer = readsChain ? toClientEvmSigner(payer, chain) : payer;
  const scheme = new BatchSettlementEvmScheme(signer, { storage });
  const client = new x402Client().register('eip155:8453', scheme);
  return { client, scheme, storage, fetch: wrapFetchWithPayment(fetch, client) as typeof globalThis.fetch };
}

/** Buys uploads through a channel. */
export async function buy(rig: Rig, fetch: typeof globalThis.fetch, times = 1): Promise<void> {
  for (let done = 0; done < times; done += 1) {
    const answer = await fetch(`${rig.apiUrl}/v1/uploads`, { method: 'POST', ...aFile() });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  }
}

/** What the ledger knows of a payer's channel. Atomic USDC. */
export interface ChannelFigures {
  readonly id: string;
  readonly charged: number;
  readonly claimed: number;
  readonly balance: number;
  readonly withdrawing: number;
}

export async function channelOf(rig: Rig, { address }: PrivateKeyAccount): Promise<ChannelFigures> {
  const [row] = await rig.query<ChannelFigures & { id: string }>(
    `SELECT id, charged_atomic::int AS charged, claimed_atomic::int AS claimed, balance_atomic::int AS balance,
       withdrawing_atomic::int AS withdrawing FROM channel WHERE payer = $1`,
    [address],
  );
  if (!row) throw new Error('there is no such channel');
  return row;
}

/** The terms of a payer's channel. */
export async function configOf(rig: Rig, { address }: PrivateKeyAccount): Promise<ChannelConfig> {
  const [row] = await rig.query<ChannelConfig & { salt: `0x${string}` }>(
    `SELECT payer, payer AS "payerAuthorizer", receiver, receiver_authorizer AS "receiverAuthorizer", token,
       withdraw_delay AS "withdrawDelay", salt FROM channel WHERE payer = $1`,
    [address],
  );
  if (!row) throw new Error('there is no such channel');
  return row;
}

type Name = ContractFunctionName<typeof batchSettlementAbi, 'nonpayable'>;

/** Calls the contract with a key that is not the service's, and waits for the block. */
export async function callContract<N extends Name>(
  rig: Rig,
  account: PrivateKeyAccount,
  functionName: N,
  args: ContractFunctionArgs<typeof batchSettlementAbi, 'nonpayable', N>,
): Promise<void> {
  const url = rig.chainUrl('base');
  await topUpGas(url, account.address, 10n ** 18n);
  const client = createWalletClient({ account, transport: http(url) }).extend(publicActions);
  // Name and arguments belong together, which the compiler loses track of once the name is a type parameter.
  const call = { abi: batchSettlementAbi, functionName, args } as EncodeFunctionDataParameters<
    typeof batchSettlementAbi
  >;
  const hash = await client.sendTransaction({
    to: BATCH_SETTLEMENT_ADDRESS,
    data: encodeFunctionData(call),
    chain: null,
  });
  const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 50 });
  if (status !== 'success') throw new Error(`${functionName} was reverted`);
}
