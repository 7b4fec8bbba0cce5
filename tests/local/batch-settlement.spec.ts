import { expect, test } from '@playwright/test';
import type { PaymentRequirements } from '@x402/core/types';
import {
  BATCH_SETTLEMENT_ADDRESS,
  BATCH_SETTLEMENT_DOMAIN,
  type BatchSettlementDepositPayload,
  type BatchSettlementVoucherClaim,
  type ChannelConfig,
  claimBatchTypes,
  ERC3009_DEPOSIT_COLLECTOR_ADDRESS,
  refundTypes,
  toFacilitatorEvmSigner,
  voucherTypes,
} from '@x402/evm';
import {
  computeChannelId,
  createBatchSettlementEIP3009DepositPayload,
  signVoucher,
} from '@x402/evm/batch-settlement/client';
import { BatchSettlementEvmScheme as FacilitatorScheme } from '@x402/evm/batch-settlement/facilitator';
import {
  BaseError,
  type ContractFunctionArgs,
  type ContractFunctionName,
  createWalletClient,
  decodeErrorResult,
  type EncodeFunctionDataParameters,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  http,
  multicall3Abi,
  parseAbi,
  parseEventLogs,
  publicActions,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { batchSettlementAbi } from '@/lib/payments/channels/batch-settlement-abi';
import { type EvmChain, startEvmChain } from '@/local/evm/chain';
import { readUsdcBalances, setUsdcBalances, topUpGas } from '@/local/evm/funding';
import { rpcCall } from '@/local/json-rpc';
import { randomNonce, toPaymentPayload } from './support';

// x402's batch settlement on the local chain, with the official package as the other party. The tests share a chain; each has
// its own wallets.

const network = 'eip155:8453';
const withdrawDelay = 86_400;
const domain = {
  ...BATCH_SETTLEMENT_DOMAIN,
  chainId: base.id,
  verifyingContract: BATCH_SETTLEMENT_ADDRESS,
} as const;
const revertTextAbi = parseAbi(['error Error(string text)']);
const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11';

let chain: EvmChain;
test.beforeAll(async () => {
  chain = await startEvmChain({ chainId: base.id });
});
test.afterAll(() => chain.stop());

async function openWallet() {
  const account = privateKeyToAccount(generatePrivateKey());
  await topUpGas(chain.rpcUrl, account.address, 10n ** 18n);
  return createWalletClient({ account, chain: base, transport: http(chain.rpcUrl) }).extend(publicActions);
}
type Wallet = Awaited<ReturnType<typeof openWallet>>;

/** A payer with 10 USDC, a seller, its authorizer, and the channel between them. */
async function openParties(change: Partial<ChannelConfig> = {}) {
  const [payer, seller, authorizer] = await Promise.all([openWallet(), openWallet(), openWallet()]);
  await setUsdcBalances(chain.rpcUrl, chain.usdc, [
    { owner: payer.account.address, amountAtomic: 10_000_000n },
  ]);
  const config: ChannelConfig = {
    payer: payer.account.address,
    payerAuthorizer: payer.account.address,
    receiver: seller.account.address,
    receiverAuthorizer: authorizer.account.address,
    token: chain.usdc as Hex,
    withdrawDelay,
    salt: randomNonce(),
    ...change,
  };
  return { payer, seller, authorizer, config, id: computeChannelId(config, network) };
}
type Parties = Awaited<ReturnType<typeof openParties>>;

function requirementsOf({ config }: Parties): PaymentRequirements {
  return {
    scheme: 'batch-settlement',
    network,
    amount: '1000',
    asset: chain.usdc,
    payTo: config.receiver,
    maxTimeoutSeconds: 300,
    extra: {
      name: 'USD Coin',
      version: '2',
      receiverAuthorizer: config.receiverAuthorizer,
      withdrawDelay,
      minDeposit: '1000000',
    },
  };
}

/** The payer's deposit, signed by the official client. */
async function signDeposit(parties: Parties, amountAtomic = 1_000_000n) {
  const { payer, config } = parties;
  const { payload } = await createBatchSettlementEIP3009DepositPayload(
    payer.account,
    2,
    requirementsOf(parties),
    config,
    String(amountAtomic),
    '1000',
  );
  return payload as unknown as BatchSettlementDepositPayload;
}

function collectorData({ deposit }: BatchSettlementDepositPayload): Hex {
  const signed = deposit.authorization.erc3009Authorization;
  if (!signed) throw new Error('not an EIP-3009 deposit');
  return encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'bytes' }],
    [BigInt(signed.validAfter), BigInt(signed.validBefore), BigInt(signed.salt), signed.signature],
  );
}

async function depositArguments(parties: Parties, amountAtomic = 1_000_000n) {
  const data = collectorData(await signDeposit(parties, amountAtomic));
  return [parties.config, amountAtomic, ERC3009_DEPOSIT_COLLECTOR_ADDRESS, data] as const;
}

async function voucherOf({ payer, id }: Parties, maxAtomic: bigint): Promise<Hex> {
  return (await signVoucher(payer.account, id, String(maxAtomic), network)).signature;
}

type Row = Arguments<'claim'>[0][number];

async function claimOf(
  parties: Parties,
  { max, claimed = max }: { max: bigint; claimed?: bigint },
  signature?: Hex,
): Promise<Row> {
  return {
    voucher: { channel: parties.config, maxClaimableAmount: max },
    signature: signature ?? (await voucherOf(parties, max)),
    totalClaimed: claimed,
  };
}

type Name = ContractFunctionName<typeof batchSettlementAbi, 'nonpayable'>;
type Arguments<N extends Name> = ContractFunctionArgs<typeof batchSettlementAbi, 'nonpayable', N>;

function encode<N extends Name>(functionName: N, args: Arguments<N>): Hex {
  // The name and the arguments belong together, but the compiler cannot tell once the name is a type parameter.
  const call = { abi: batchSettlementAbi, functionName, args } as EncodeFunctionDataParameters<
    typeof batchSettlementAbi
  >;
  return encodeFunctionData(call);
}

/** The error with which a call to the contract reverts: its name, or the token's message; `none` if it succeeds. */
async function revertOf(wallet: Wallet, data: Hex, to: Hex = BATCH_SETTLEMENT_ADDRESS): Promise<string> {
  try {
    await wallet.call({ account: wallet.account, to, data });
    return 'none';
  } catch (error) {
    const reverted =
      error instanceof BaseError && error.walk((cause) => cause instanceof Error && 'data' in cause);
    if (!reverted || !('data' in reverted)) throw error;
    const { errorName, args } = decodeErrorResult({
      abi: [...batchSettlementAbi, ...revertTextAbi],
      data: reverted.data as Hex,
    });
    return errorName === 'Error' ? args[0] : errorName;
  }
}

async function sendTo(wallet: Wallet, to: Hex, data: Hex) {
  const hash = await wallet.sendTransaction({ to, data });
  const { logs, status } = await wallet.waitForTransactionReceipt({ hash });
  expect(status).toBe('success');
  return parseEventLogs({ abi: batchSettlementAbi, logs });
}

/** Sends a transaction to the contract and returns the contract's events from it. */
async function send<N extends Name>(wallet: Wallet, functionName: N, args: Arguments<N>) {
  const events = await sendTo(wallet, BATCH_SETTLEMENT_ADDRESS, encode(functionName, args));
  return events.map(({ eventName, args: values }) => ({ eventName, ...values }));
}

async function deposit(parties: Parties, amountAtomic = 1_000_000n) {
  return send(parties.payer, 'deposit', await depositArguments(parties, amountAtomic));
}

async function channelOf({ payer, id }: Parties) {
  const read = { address: BATCH_SETTLEMENT_ADDRESS, abi: batchSettlementAbi, args: [id] } as const;
  const [[balance, totalClaimed], [withdrawing], refundNonce] = await Promise.all([
    payer.readContract({ ...read, functionName: 'channels' }),
    payer.readContract({ ...read, functionName: 'pendingWithdrawals' }),
    payer.readContract({ ...read, functionName: 'refundNonce' }),
  ]);
  return { balance, totalClaimed, withdrawing, refundNonce };
}

async function usdcOf(wallet: Wallet): Promise<bigint> {
  const [balance] = await readUsdcBalances(chain.rpcUrl, chain.usdc, [wallet.account.address]);
  return balance ?? 0n;
}

async function signBatch({ authorizer }: Parties, rows: readonly Row[]): Promise<Hex> {
  const claims = rows.map(({ voucher, totalClaimed }) => ({
    channelId: computeChannelId(voucher.channel, network),
    maxClaimableAmount: voucher.maxClaimableAmount,
    totalClaimed,
  }));
  return authorizer.account.signTypedData({
    domain,
    types: claimBatchTypes,
    primaryType: 'ClaimBatch',
    message: { claims },
  });
}

function signRefund({ authorizer, id }: Parties, nonce: bigint, amount: bigint): Promise<Hex> {
  const message = { channelId: id, nonce, amount };
  return authorizer.account.signTypedData({ domain, types: refundTypes, primaryType: 'Refund', message });
}

test('computes the ids and digests that the official package computes', async () => {
  const parties = await openParties();
  const { payer, config, id } = parties;
  const row = await claimOf(parties, { max: 5_000n, claimed: 3_000n });
  const read = { address: BATCH_SETTLEMENT_ADDRESS, abi: batchSettlementAbi } as const;
  const claims = [{ channelId: id, maxClaimableAmount: 5_000n, totalClaimed: 3_000n }];
  const onChain = await Promise.all([
    payer.readContract({ ...read, functionName: 'getChannelId', args: [config] }),
    payer.readContract({ ...read, functionName: 'getVoucherDigest', args: [id, 5_000n] }),
    payer.readContract({ ...read, functionName: 'getRefundDigest', args: [id, 7n, 400n] }),
    payer.readContract({ ...read, functionName: 'getClaimBatchDigest', args: [[row]] }),
  ]);
  expect(onChain).toEqual([
    id,
    hashTypedData({
      domain,
      types: voucherTypes,
      primaryType: 'Voucher',
      message: { channelId: id, maxClaimableAmount: 5_000n },
    }),
    hashTypedData({
      domain,
      types: refundTypes,
      primaryType: 'Refund',
      message: { channelId: id, nonce: 7n, amount: 400n },
    }),
    hashTypedData({ domain, types: claimBatchTypes, primaryType: 'ClaimBatch', message: { claims } }),
  ]);
});

test('serves the official client and the official facilitator from deposit to refund', async () => {
  const parties = await openParties();
  const { payer, seller, authorizer, config, id } = parties;
  const operator = await openWallet();
  // viem's client has every method the adapter names; only its generics are narrower.
  const signer = { ...operator, address: operator.account.address } as unknown as Parameters<
    typeof toFacilitatorEvmSigner
  >[0];
  const facilitator = new FacilitatorScheme(toFacilitatorEvmSigner(signer), {
    address: authorizer.account.address,
    signTypedData: (data) => authorizer.account.signTypedData(data),
  });
  const requirements = requirementsOf(parties);
  const settle = async (payload: object) => {
    const envelope = toPaymentPayload(requirements, { x402Version: 2, payload: payload as never });
    const settled = await facilitator.settle(envelope, requirements);
    expect(settled).toMatchObject({ success: true });
    return settled;
  };

  const deposited = await signDeposit(parties);
  const envelope = toPaymentPayload(requirements, { x402Version: 2, payload: { ...deposited } });
  expect(await facilitator.verify(envelope, requirements)).toMatchObject({ isValid: true });
  await settle(deposited);
  expect(await channelOf(parties)).toMatchObject({ balance: 1_000_000n, totalClaimed: 0n });

  const row: BatchSettlementVoucherClaim = {
    voucher: { channel: config, maxClaimableAmount: '30000' },
    signature: await voucherOf(parties, 30_000n),
    totalClaimed: '30000',
  };
  await settle({ type: 'claim', claims: [row] });
  await settle({ type: 'settle', receiver: config.receiver, token: config.token });
  expect(await usdcOf(seller)).toBe(30_000n);

  const refunded = await settle({
    type: 'refund',
    channelConfig: config,
    voucher: { channelId: id, maxClaimableAmount: '30000', signature: row.signature },
    amount: '970000',
    refundNonce: '0',
    claims: [],
  });
  expect(refunded.amount).toBe('970000');
  expect(await usdcOf(payer)).toBe(9_970_000n);
  expect(await channelOf(parties)).toMatchObject({ balance: 30_000n, totalClaimed: 30_000n });
});

test('takes a deposit of exactly what the payer has signed for this channel, once', async () => {
  const parties = await openParties();
  const { payer, seller, id, config } = parties;
  const signed = await depositArguments(parties);
  const [, amount, collector, data] = signed;
  const attempt = (...args: Arguments<'deposit'>) => revertOf(seller, encode('deposit', args));

  expect(await attempt(config, 0n, collector, data)).toBe('ZeroDeposit');
  expect(await attempt(config, amount, `0x${'00'.repeat(20)}`, data)).toBe('InvalidCollector');
  expect(await attempt({ ...config, receiver: `0x${'00'.repeat(20)}` }, amount, collector, data)).toBe(
    'InvalidChannel',
  );
  expect(await attempt({ ...config, withdrawDelay: 899 }, amount, collector, data)).toBe(
    'WithdrawDelayOutOfRange',
  );
  // The token rejects the signature: first for another amount, then for another channel of the same payer.
  expect(await attempt(config, amount + 1n, collector, data)).toBe('FiatTokenV2: invalid signature');
  expect(await attempt({ ...config, salt: randomNonce() }, amount, collector, data)).toBe(
    'FiatTokenV2: invalid signature',
  );

  expect(await send(seller, 'deposit', signed)).toEqual([
    { eventName: 'ChannelCreated', channelId: id, config: expect.objectContaining({ salt: config.salt }) },
    {
      eventName: 'Deposited',
      channelId: id,
      sender: seller.account.address,
      amount: 1_000_000n,
      newBalance: 1_000_000n,
    },
  ]);
  expect(await attempt(...signed)).toBe('FiatTokenV2: authorization is used or canceled');
  expect(await deposit(parties, 250_000n)).toMatchObject([
    { eventName: 'Deposited', newBalance: 1_250_000n },
  ]);
  expect(await usdcOf(payer)).toBe(8_750_000n);
});

test('lets nobody but the contract collect a deposit', async () => {
  const parties = await openParties();
  const signed = await signDeposit(parties);
  const data = encodeFunctionData({
    abi: parseAbi([
      'function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes data)',
    ]),
    args: [parties.config.payer, parties.config.token, 1_000_000n, parties.id, collectorData(signed)],
  });
  expect(await revertOf(parties.seller, data, ERC3009_DEPOSIT_COLLECTOR_ADDRESS)).toBe('OnlySettlement');
});

test('checks a claim in the order: already claimed, ceiling, balance, signature', async () => {
  const parties = await openParties();
  const { seller } = parties;
  await deposit(parties, 100_000n);
  const garbage: Hex = `0x${'11'.repeat(65)}`;
  const attempt = async (...row: [{ max: bigint; claimed?: bigint }, Hex?]) =>
    revertOf(seller, encode('claim', [[await claimOf(parties, ...row)]]));

  expect(await attempt({ max: 2_000n, claimed: 2_001n }, garbage)).toBe('ClaimExceedsCeiling');
  expect(await attempt({ max: 200_000n, claimed: 100_001n }, garbage)).toBe('ClaimExceedsBalance');
  expect(await attempt({ max: 2_000n }, garbage)).toBe('InvalidSignature');
  expect(await attempt({ max: 0n }, garbage)).toBe('none');
  // A claim may be for less than was signed; it may go up to the balance, however much was signed.
  const claimed = await send(seller, 'claim', [
    [await claimOf(parties, { max: 900_000n, claimed: 60_000n })],
  ]);
  expect(claimed).toMatchObject([
    { eventName: 'Claimed', claimAmount: 60_000n, newTotalClaimed: 60_000n, sender: seller.account.address },
  ]);
  expect(await attempt({ max: 50_000n }, garbage)).toBe('none');
  expect(await channelOf(parties)).toMatchObject({ balance: 100_000n, totalClaimed: 60_000n });
});

test('takes a voucher key signature in one form only', async () => {
  const parties = await openParties();
  await deposit(parties);
  const signature = await voucherOf(parties, 1_000n);
  const v = signature.slice(-2);
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const highS = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
  const attempt = async (changed: Hex) =>
    revertOf(parties.seller, encode('claim', [[await claimOf(parties, { max: 1_000n }, changed)]]));

  expect(await attempt(signature)).toBe('none');
  const others: Hex[] = [
    `${signature.slice(0, -2) as Hex}${v === '1b' ? '00' : '01'}`,
    `${signature.slice(0, 66) as Hex}${highS}${v === '1b' ? '1c' : '1b'}`,
    signature.slice(0, -2) as Hex,
    `${signature}00`,
    await signVoucher(parties.seller.account, parties.id, '1000', network).then(
      (voucher) => voucher.signature,
    ),
  ];
  for (const other of others) expect(await attempt(other)).toBe('InvalidSignature');
});

test('one bad row of a batch reverts all of it, and only its seller or the signed authorizer can claim', async () => {
  const parties = await openParties();
  const { seller, authorizer, config } = parties;
  const stranger = await openParties();
  await Promise.all([deposit(parties), deposit(stranger)]);
  const good = await claimOf(parties, { max: 1_000n });
  const bad = await claimOf(parties, { max: 2_000n }, `0x${'11'.repeat(65)}`);
  const foreign = await claimOf(stranger, { max: 1_000n });

  expect(await revertOf(seller, encode('claim', [[]]))).toBe('EmptyBatch');
  expect(await revertOf(seller, encode('claim', [[good, bad]]))).toBe('InvalidSignature');
  expect(await revertOf(seller, encode('claim', [[good, foreign]]))).toBe('NotAuthorizedToClaim');
  expect(await revertOf(authorizer, encode('claim', [[good]]))).toBe('none');

  const signature = await signBatch(parties, [good]);
  const mixed = await signBatch(parties, [good, foreign]);
  const submit = (rows: readonly Row[], signed: Hex) =>
    revertOf(stranger.payer, encode('claimWithSignature', [rows, signed]));
  expect(await submit([{ ...good, totalClaimed: 999n }], signature)).toBe('InvalidSignature');
  expect(await submit([good, foreign], mixed)).toBe('NotReceiverAuthorizer');
  expect(await submit([good], signature)).toBe('none');
  await send(stranger.payer, 'claimWithSignature', [[good], signature]);
  expect(await send(stranger.payer, 'settle', [config.receiver, config.token])).toMatchObject([
    { eventName: 'Settled', receiver: config.receiver, amount: 1_000n },
  ]);
  expect(await send(stranger.payer, 'settle', [config.receiver, config.token])).toEqual([]);
  expect(await usdcOf(seller)).toBe(1_000n);
});

test('a withdrawal waits for its delay, and pays at most what is not claimed by then', async () => {
  const parties = await openParties({ withdrawDelay: 900 });
  const { payer, seller, config, id } = parties;
  await deposit(parties, 100_000n);
  await send(seller, 'claim', [[await claimOf(parties, { max: 10_000n })]]);
  const begin = (wallet: Wallet, amount: bigint) =>
    revertOf(wallet, encode('initiateWithdraw', [config, amount]));

  expect(await begin(seller, 1n)).toBe('NotAuthorizedToInitiateWithdraw');
  expect(await begin(payer, 0n)).toBe('NothingToWithdraw');
  expect(await begin(payer, 90_001n)).toBe('WithdrawAmountExceedsAvailable');
  expect(await revertOf(payer, encode('finalizeWithdraw', [config]))).toBe('WithdrawalNotPending');
  expect(await send(payer, 'initiateWithdraw', [config, 90_000n])).toMatchObject([
    { eventName: 'WithdrawInitiated', channelId: id, amount: 90_000n },
  ]);
  expect(await begin(payer, 1n)).toBe('WithdrawalAlreadyPending');
  expect(await revertOf(payer, encode('finalizeWithdraw', [config]))).toBe('WithdrawDelayNotElapsed');

  // The seller still collects what it was promised, even though the withdrawal is pending and its delay has elapsed.
  const before = await rpcCall(chain.rpcUrl, 'evm_snapshot');
  await rpcCall(chain.rpcUrl, 'evm_increaseTime', [901]);
  await send(seller, 'claim', [[await claimOf(parties, { max: 40_000n })]]);
  expect(await revertOf(seller, encode('finalizeWithdraw', [config]))).toBe(
    'NotAuthorizedToFinalizeWithdraw',
  );
  expect(await send(payer, 'finalizeWithdraw', [config])).toMatchObject([
    { eventName: 'WithdrawFinalized', amount: 60_000n },
    { eventName: 'ChannelClosed', channelId: id },
  ]);
  expect(await channelOf(parties)).toMatchObject({
    balance: 40_000n,
    totalClaimed: 40_000n,
    withdrawing: 0n,
  });
  expect(await usdcOf(payer)).toBe(9_960_000n);
  await rpcCall(chain.rpcUrl, 'evm_revert', [before]);
});

test('a refund pays the payer what is free, shrinks a pending withdrawal, and is signed for once', async () => {
  const parties = await openParties();
  const { payer, seller, config } = parties;
  await deposit(parties, 100_000n);
  await send(seller, 'claim', [[await claimOf(parties, { max: 10_000n })]]);
  await send(payer, 'initiateWithdraw', [config, 90_000n]);

  expect(await revertOf(payer, encode('refund', [config, 1n]))).toBe('NotAuthorizedToRefund');
  expect(await revertOf(seller, encode('refund', [config, 0n]))).toBe('ZeroRefund');
  expect(await send(seller, 'refund', [config, 30_000n])).toMatchObject([
    { eventName: 'Refunded', amount: 30_000n },
  ]);
  expect(await channelOf(parties)).toMatchObject({ balance: 70_000n, withdrawing: 60_000n });

  const signature = await signRefund(parties, 0n, 500_000n);
  const submit = (amount: bigint, nonce: bigint) =>
    revertOf(payer, encode('refundWithSignature', [config, amount, nonce, signature]));
  expect(await submit(500_000n, 1n)).toBe('InvalidRefundNonce');
  expect(await submit(400_000n, 0n)).toBe('InvalidSignature');
  expect(await send(payer, 'refundWithSignature', [config, 500_000n, 0n, signature])).toMatchObject([
    { eventName: 'Refunded', amount: 60_000n },
    { eventName: 'ChannelClosed' },
  ]);
  expect(await submit(500_000n, 0n)).toBe('InvalidRefundNonce');
  expect(await channelOf(parties)).toMatchObject({ balance: 10_000n, withdrawing: 0n, refundNonce: 1n });
});

test('the signed nonce of a refund is used up even if nothing is left to refund', async () => {
  const parties = await openParties();
  await deposit(parties, 1_000n);
  await send(parties.seller, 'claim', [[await claimOf(parties, { max: 1_000n })]]);
  const signature = await signRefund(parties, 0n, 1n);
  expect(await send(parties.payer, 'refundWithSignature', [parties.config, 1n, 0n, signature])).toEqual([]);
  expect(await channelOf(parties)).toMatchObject({ refundNonce: 1n });
});

test('a multicall runs its functions in turn for its caller, all or none', async () => {
  const parties = await openParties();
  const { seller, config } = parties;
  await deposit(parties, 100_000n);
  const row = await claimOf(parties, { max: 25_000n });
  const parts = [encode('claim', [[row]]), encode('refund', [config, 75_000n])];
  expect(await revertOf(parties.payer, encode('multicall', [parts]))).toBe('NotAuthorizedToClaim');
  expect(await revertOf(seller, encode('multicall', [[...parts, encode('refund', [config, 0n])]]))).toBe(
    'ZeroRefund',
  );
  const events = await send(seller, 'multicall', [parts]);
  expect(events.map(({ eventName }) => eventName)).toEqual(['Claimed', 'Refunded', 'ChannelClosed']);
  expect(await channelOf(parties)).toMatchObject({ balance: 25_000n, totalClaimed: 25_000n });
});

test('deposits, signed claims and settlements of several channels share one transaction of Multicall3', async () => {
  const [first, second] = await Promise.all([openParties(), openParties()]);
  const stranger = await openWallet();
  const row = await claimOf(first, { max: 7_000n });
  const calls = [
    encode('deposit', await depositArguments(first)),
    encode('deposit', await depositArguments(second)),
    encode('claimWithSignature', [[row], await signBatch(first, [row])]),
    encode('settle', [first.config.receiver, first.config.token]),
    // Only this call fails: the caller is the multicall, not the seller.
    encode('refund', [second.config, 1_000n]),
  ].map((callData) => ({ target: BATCH_SETTLEMENT_ADDRESS as Hex, allowFailure: true, callData }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const events = await sendTo(stranger, multicall3, data);
  expect(events.map(({ eventName }) => eventName)).toEqual([
    'ChannelCreated',
    'Deposited',
    'ChannelCreated',
    'Deposited',
    'Claimed',
    'Settled',
  ]);
  expect(await usdcOf(first.seller)).toBe(7_000n);
  expect(await channelOf(second)).toMatchObject({ balance: 1_000_000n, totalClaimed: 0n });
});
