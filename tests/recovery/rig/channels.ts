import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import {
  BATCH_SETTLEMENT_ADDRESS,
  type BatchSettlementDepositPayload,
  type ChannelConfig,
  ERC3009_DEPOSIT_COLLECTOR_ADDRESS,
  toClientEvmSigner,
} from '@x402/evm';
import {
  type BatchSettlementDepositStrategy,
  BatchSettlementEvmScheme,
  computeChannelId,
  InMemoryClientChannelStorage,
  signVoucher,
} from '@x402/evm/batch-settlement/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import {
  type ContractFunctionArgs,
  type ContractFunctionName,
  createPublicClient,
  createWalletClient,
  type EncodeFunctionDataParameters,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  publicActions,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount } from 'viem/accounts';
import { batchSettlementAbi } from '@/lib/payments/channels/batch-settlement-abi';
import { topUpGas } from '@/local/evm/funding';
import { challengeOf, paymentHeader } from '../../support/buyer';
import { aFile } from '../../support/files';
import type { Answer, Order, SignedRequest } from './requests';
import { type Rig, type RigOptions, startRig } from './rig';

/** The settings with which a server offers payment channels on base. */
export function channelSettings(): Record<string, string> {
  return { BATCH_SETTLEMENT: 'base', BATCH_AUTHORIZER_KEY: generatePrivateKey() };
}

/** A rig that offers payment channels on base, with its server started. */
export async function startChannelRig(options: RigOptions = {}): Promise<Rig> {
  const rig = await startRig({
    networks: ['base'],
    ...options,
    settings: { ...channelSettings(), ...options.settings },
  });
  await rig.start();
  return rig;
}

/** The official client with only the scheme for channels, which is how a buyer chooses to pay by channel. */
export function channelClient(
  rig: Pick<Rig, 'chainUrl'>,
  payer: PrivateKeyAccount,
  {
    storage = new InMemoryClientChannelStorage(),
    readsChain = true,
    fetch = globalThis.fetch,
    depositStrategy,
  }: {
    storage?: InMemoryClientChannelStorage;
    readsChain?: boolean;
    fetch?: typeof globalThis.fetch;
    depositStrategy?: BatchSettlementDepositStrategy;
  } = {},
) {
  const chain = createPublicClient({ transport: http(rig.chainUrl('base')) });
  const signer = readsChain ? toClientEvmSigner(payer, chain) : payer;
  const scheme = new BatchSettlementEvmScheme(signer, { storage, depositStrategy });
  const client = new x402Client().register('eip155:8453', scheme);
  return { client, scheme, storage, fetch: wrapFetchWithPayment(fetch, client) as typeof globalThis.fetch };
}

/** Buys uploads with a client that pays through a channel. */
export async function buy(rig: Rig, fetch: typeof globalThis.fetch, times = 1): Promise<void> {
  for (let done = 0; done < times; done += 1) {
    const answer = await fetch(`${rig.apiUrl}/v1/uploads`, { method: 'POST', ...aFile() });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  }
}

/** The ledger's figures for a payer's channel. Atomic USDC. */
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

/** Calls the contract with a key that is not the service's, and waits until the call is in a block. */
export async function callContract<N extends Name>(
  rig: Rig,
  account: PrivateKeyAccount,
  functionName: N,
  args: ContractFunctionArgs<typeof batchSettlementAbi, 'nonpayable', N>,
): Promise<void> {
  const url = rig.chainUrl('base');
  await topUpGas(url, account.address, 10n ** 18n);
  const client = createWalletClient({ account, transport: http(url) }).extend(publicActions);
  // The compiler does not see that the arguments match the name once the name is a type parameter.
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

/** An order that is paid with a voucher: by default an upload. */
export interface VoucherOrder {
  /** The total that is signed. Atomic USDC. */
  readonly total: bigint;
  readonly url?: string;
  readonly method?: string;
  /** Null for no body. */
  readonly body?: string | null;
  readonly headers?: Record<string, string>;
  /** Terms of the channel that differ from those offered. */
  readonly config?: Partial<ChannelConfig>;
  /** Who signs instead of the payer. */
  readonly signer?: PrivateKeyAccount;
}

/** A request with a voucher. It can be sent any number of times, always unchanged. */
export interface VoucherRequest {
  readonly url: string;
  readonly init: { method: string; headers: Record<string, string>; body?: string };
  readonly envelope: PaymentPayload;
}

/** The entry for channels in a challenge. */
function channelEntry({ accepts }: PaymentRequired) {
  const entry = accepts.find(({ scheme }) => scheme === 'batch-settlement');
  if (!entry) throw new Error('channels are not offered');
  return entry;
}

/** Signs any total, as a client could that breaks the rules. */
export async function signTotal(
  rig: Pick<Rig, 'apiUrl'>,
  payer: PrivateKeyAccount,
  { total, url = `${rig.apiUrl}/v1/uploads`, method = 'POST', signer = payer, ...order }: VoucherOrder,
): Promise<VoucherRequest> {
  const challenge = await challengeOf(url, method);
  const accepted = channelEntry(challenge);
  const channelConfig = { ...configFor(payer, accepted), ...order.config };
  const channelId = computeChannelId(channelConfig, accepted.network);
  const voucher = await signVoucher(signer, channelId, String(total), accepted.network);
  const { resource, extensions } = challenge;
  const payload = { type: 'voucher', channelConfig, voucher };
  const envelope = { x402Version: 2, resource, accepted, payload, extensions } as PaymentPayload;
  const { body = aFile().body } = order;
  const type: Record<string, string> = body === null ? {} : { 'Content-Type': 'application/json' };
  const headers = { ...type, ...order.headers, ...paymentHeader(envelope) };
  return { url, envelope, init: { method, headers, ...(body === null ? {} : { body }) } };
}

function configFor(
  { address }: PrivateKeyAccount,
  { payTo, asset, extra }: ReturnType<typeof channelEntry>,
): ChannelConfig {
  const { receiverAuthorizer, withdrawDelay } = extra as {
    receiverAuthorizer: `0x${string}`;
    withdrawDelay: number;
  };
  return {
    payer: address,
    payerAuthorizer: address,
    receiver: payTo as `0x${string}`,
    receiverAuthorizer,
    token: asset as `0x${string}`,
    withdrawDelay,
    salt: `0x${'0'.repeat(64)}`,
  };
}

export async function send({ url, init }: Pick<VoucherRequest, 'url' | 'init'>): Promise<Answer> {
  const answer = await fetch(url, init);
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** The same request with other content in its envelope. */
export function changed(request: VoucherRequest, change: (envelope: PaymentPayload) => void): VoucherRequest {
  const envelope = structuredClone(request.envelope);
  change(envelope);
  const headers = { ...request.init.headers, ...paymentHeader(envelope) };
  return { ...request, envelope, init: { ...request.init, headers } };
}

/** A request for a refund, as the official client makes it. @param refund in atomic USDC; without an amount, refunds everything */
export async function signRefund(
  rig: Pick<Rig, 'apiUrl'>,
  payer: PrivateKeyAccount,
  { total, amount, signer }: { total: number; amount?: number; signer?: PrivateKeyAccount },
): Promise<VoucherRequest> {
  const url = `${rig.apiUrl}/v1/channels/refund`;
  const voucher = await signTotal(rig, payer, {
    total: BigInt(total),
    url,
    method: 'GET',
    body: null,
    signer,
  });
  return changed(voucher, ({ payload }) => {
    payload.type = 'refund';
    if (amount !== undefined) payload.amount = String(amount);
  });
}

/** The first call of a channel, as the official client of a new wallet signs it: with a deposit. */
export async function signDeposit(
  rig: Pick<Rig, 'apiUrl' | 'chainUrl'>,
  payer: PrivateKeyAccount,
  order: Order & {
    readonly amountAtomic?: bigint;
    /** How long the deposit is valid, where the chain's time is ahead of the clock. By default as the service asks. */
    readonly validSeconds?: number;
  } = {},
): Promise<DepositRequest> {
  const { path = '/uploads', method = 'POST', amountAtomic, validSeconds } = order;
  const url = `${rig.apiUrl}/v1${path}`;
  const { client } = channelClient(rig, payer, {
    depositStrategy: () => (amountAtomic === undefined ? undefined : String(amountAtomic)),
  });
  // By default the client deposits at most five dollars.
  client.setSpendControls({ maxAmountPerPayment: '$500' });
  const challenge = await challengeOf(url, method);
  const accepts = challenge.accepts.map((entry) => ({
    ...entry,
    maxTimeoutSeconds: validSeconds ?? entry.maxTimeoutSeconds,
  }));
  const envelope = await client.createPaymentPayload({ ...challenge, accepts });
  return { ...requestWith(url, envelope, order), envelope };
}

export interface DepositRequest extends SignedRequest {
  readonly envelope: PaymentPayload;
}

function depositOf({ envelope }: DepositRequest) {
  const { channelConfig, voucher, deposit } = envelope.payload as unknown as BatchSettlementDepositPayload;
  const signed = deposit.authorization.erc3009Authorization;
  if (!signed) throw new Error('not an EIP-3009 deposit');
  return { channelConfig, channelId: voucher.channelId, amount: deposit.amount, signed };
}

/** The nonce of the authorization of a deposit. */
export function depositNonce(request: DepositRequest): Hex {
  const { channelId, signed } = depositOf(request);
  return keccak256(
    encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [channelId, BigInt(signed.salt)]),
  );
}

/** The contract's arguments for a deposit. Anyone who has seen the request can use them. */
export function depositArguments(request: DepositRequest) {
  const { channelConfig, amount, signed } = depositOf(request);
  const data = encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'bytes' }],
    [BigInt(signed.validAfter), BigInt(signed.validBefore), BigInt(signed.salt), signed.signature],
  );
  return [channelConfig, BigInt(amount), ERC3009_DEPOSIT_COLLECTOR_ADDRESS, data] as const;
}

/** The next call after a deposit, paid with a voucher. */
export async function signVoucherAfter(
  rig: Pick<Rig, 'apiUrl'>,
  payer: PrivateKeyAccount,
  before: SignedRequest,
  order: Order,
): Promise<SignedRequest> {
  const { path = '/uploads', method = 'POST' } = order;
  const url = `${rig.apiUrl}/v1${path}`;
  const price = BigInt(channelEntry(await challengeOf(url, method)).amount);
  const total = BigInt(before.authorization.split(':')[1] ?? 0) + price;
  const { envelope } = await signTotal(rig, payer, { total, url, method });
  return requestWith(url, envelope, order);
}

function requestWith(url: string, envelope: PaymentPayload, order: Order): SignedRequest {
  const { path = '/uploads', method = 'POST' } = order;
  const body = order.body ?? (path === '/uploads' ? aFile().body : undefined);
  const { channelConfig, voucher } = envelope.payload as {
    channelConfig: ChannelConfig;
    voucher: { channelId: string; maxClaimableAmount: string };
  };
  const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return {
    url,
    payer: channelConfig.payer,
    network: 'channel',
    rail: 'x402',
    priceAtomic: BigInt(envelope.accepted.amount),
    authorization: `${voucher.channelId.toLowerCase()}:${voucher.maxClaimableAmount}`,
    init: { method, headers: { ...type, ...paymentHeader(envelope) }, body },
  };
}
