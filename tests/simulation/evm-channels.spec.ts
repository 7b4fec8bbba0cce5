import { BATCH_SETTLEMENT_DOMAIN, claimBatchTypes, refundTypes, voucherTypes } from '@x402/evm';
import { computeChannelId } from '@x402/evm/batch-settlement/client';
import {
  type ContractFunctionArgs,
  type ContractFunctionName,
  type EncodeFunctionDataParameters,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { batchSettlementAbi as abi } from '@/lib/payments/channels/batch-settlement-abi';
import type { EvmChain } from '@/local/evm/chain';
import { test } from '../support/without-browser';
import { Account } from './evm/accounts';
import { collectorAddress, settlementAddress } from './evm/batch-settlement';
import {
  balances,
  base,
  call,
  compare,
  receiptOf,
  type Script,
  seen,
  send,
  startHeldAnvil,
  usdc,
} from './evm/compare';
import { hashOf, word } from './evm/words';
import type { Funds, World } from './evm/worlds';

let anvil: EvmChain;
test.beforeAll(async () => {
  anvil = await startHeldAnvil();
});
test.afterAll(() => anvil.stop());

const withdrawDelay = 900;
const gasWei = 10n ** 18n;
const domain = {
  ...BATCH_SETTLEMENT_DOMAIN,
  chainId: base.chainId,
  verifyingContract: settlementAddress,
} as const;

type Name = ContractFunctionName<typeof abi>;
const encode = <Chosen extends Name>(
  functionName: Chosen,
  args: ContractFunctionArgs<typeof abi, 'nonpayable' | 'view', Chosen>,
): Hex => encodeFunctionData({ abi, functionName, args } as EncodeFunctionDataParameters);

/** A channel, and what its parties sign. */
function channelOf(name: string) {
  const [payer, payee, authorizer, stranger] = ['payer', 'payee', 'authorizer', 'stranger'].map(
    (who) => new Account(`${name} ${who}`),
  ) as [Account, Account, Account, Account];
  const config = {
    ...{ payer: payer.address, payerAuthorizer: payer.address, receiver: payee.address },
    ...{ receiverAuthorizer: authorizer.address, token: usdc, withdrawDelay, salt: hashOf('0x01') },
  };
  const id = computeChannelId(config, `eip155:${base.chainId}`);
  const signer = (account: Account) => privateKeyToAccount(account.privateKey);
  const funds: Funds[] = [payer, payee, authorizer, stranger].map(({ address: account }) => ({
    ...{ account, gasWei },
    usdcAtomic: account === payer.address ? 20_000n : 0n,
  }));
  const deposit = (amount: bigint, now: bigint, salt: bigint): Hex => {
    const nonce = hashOf(`0x${id.slice(2)}${word(salt)}`);
    const [validAfter, validBefore] = [0n, now + 3_000n];
    const signature = payer.authorize(
      base,
      { from: payer.address, to: collectorAddress, value: amount, validAfter, validBefore, nonce },
      'receive',
    );
    const types = ['uint256', 'uint256', 'uint256', 'bytes'].map((type) => ({ type }));
    const data = encodeAbiParameters(types, [validAfter, validBefore, salt, signature]);
    return encode('deposit', [config, amount, collectorAddress, data]);
  };
  const rowOf = async (maxClaimableAmount: bigint, totalClaimed: bigint, by = payer) => {
    const message = { channelId: id, maxClaimableAmount };
    const signing = { domain, types: voucherTypes, primaryType: 'Voucher', message } as const;
    const signature = await signer(by).signTypedData(signing);
    return { voucher: { channel: config, maxClaimableAmount }, signature, totalClaimed };
  };
  type Row = Awaited<ReturnType<typeof rowOf>>;
  const claimSigned = async (rows: readonly Row[], by = authorizer) => {
    const claims = rows.map(({ voucher: { maxClaimableAmount }, totalClaimed }) => ({
      ...{ channelId: id, maxClaimableAmount, totalClaimed },
    }));
    const signing = {
      domain,
      types: claimBatchTypes,
      primaryType: 'ClaimBatch',
      message: { claims },
    } as const;
    return encode('claimWithSignature', [rows, await signer(by).signTypedData(signing)]);
  };
  const refundSigned = async (amount: bigint, nonce: bigint, by = authorizer) => {
    const message = { channelId: id, nonce, amount };
    const signing = { domain, types: refundTypes, primaryType: 'Refund', message } as const;
    return encode('refundWithSignature', [config, amount, nonce, await signer(by).signTypedData(signing)]);
  };
  return { payer, payee, authorizer, stranger, config, id, funds, deposit, rowOf, claimSigned, refundSigned };
}

type Channel = ReturnType<typeof channelOf>;

/** What the contract says about a channel. */
const read = async (world: World, { id, payee, payer }: Channel) => {
  const questions = [
    encode('channels', [id]),
    encode('pendingWithdrawals', [id]),
    encode('refundNonce', [id]),
    encode('receivers', [payee.address, usdc]),
  ];
  const answers = await Promise.all(questions.map((data) => call(world, data, { to: settlementAddress })));
  return [...answers.map(seen), await balances(world, payer, payee)];
};

/** Sends calls one after the other, each in a block of its own, and looks at the channel after each. */
function story(
  channel: Channel,
  steps: (now: bigint) => Promise<readonly [Account, Hex, number?][]>,
): Script {
  return async (world, start) => {
    const nonces = new Map<Account, number>();
    const happened: unknown[] = [];
    for (const [account, data, afterSeconds] of await steps(start.now)) {
      const nonce = nonces.get(account) ?? 0;
      nonces.set(account, nonce + 1);
      const { result } = await send(world, account, { to: settlementAddress, data, nonce, gas: 500_000n });
      await world.mine(afterSeconds);
      happened.push(await receiptOf(world, start, result), await read(world, channel));
    }
    // Time as the events tell it is that of the chain, which is the same on both.
    return { happened };
  };
}

test('a channel is filled, claimed, paid out, refunded and emptied as in the contract', async () => {
  const channel = channelOf('life');
  const { payer, payee, stranger, config, deposit, rowOf, claimSigned, refundSigned } = channel;
  await compare(
    anvil.rpcUrl,
    channel.funds,
    story(channel, async (now) => {
      const first = await rowOf(3_000n, 2_000n);
      const second = await rowOf(5_000n, 5_000n);
      return [
        [stranger, deposit(10_000n, now, 1n)],
        [stranger, deposit(5_000n, now, 2n)],
        [stranger, deposit(5_000n, now, 2n)],
        [payee, encode('claim', [[first]])],
        [stranger, await claimSigned([second, first])],
        [stranger, encode('settle', [payee.address, usdc])],
        [stranger, encode('settle', [payee.address, usdc])],
        [payer, encode('initiateWithdraw', [config, 8_000n])],
        [payer, encode('initiateWithdraw', [config, 1n])],
        [stranger, await refundSigned(4_000n, 0n)],
        [stranger, await refundSigned(1n, 0n)],
        [payer, encode('finalizeWithdraw', [config]), withdrawDelay],
        [payer, encode('finalizeWithdraw', [config])],
        [payer, encode('initiateWithdraw', [config, 1n])],
      ];
    }),
  );
});

test('a withdrawal that is begun is cut by claims, ended by a refund of everything, and the channel can be used again', async () => {
  const channel = channelOf('withdrawal');
  const { payer, payee, stranger, config, deposit, rowOf, refundSigned } = channel;
  await compare(
    anvil.rpcUrl,
    channel.funds,
    story(channel, async (now) => [
      [stranger, deposit(6_000n, now, 1n)],
      [payer, encode('initiateWithdraw', [config, 6_000n])],
      [payer, encode('finalizeWithdraw', [config]), withdrawDelay - 1],
      [payee, encode('claim', [[await rowOf(4_000n, 4_000n)]])],
      [payer, encode('finalizeWithdraw', [config]), withdrawDelay],
      [stranger, deposit(3_000n, now, 2n)],
      [payer, encode('initiateWithdraw', [config, 3_000n])],
      [stranger, await refundSigned(9_000n, 0n)],
      [payer, encode('finalizeWithdraw', [config]), withdrawDelay],
      [stranger, encode('settle', [payee.address, usdc])],
    ]),
  );
});

test('the contract refuses the same calls with the same errors', async () => {
  const channel = channelOf('refusals');
  const { payer, payee, stranger, config, deposit, rowOf, claimSigned, refundSigned } = channel;
  await compare(anvil.rpcUrl, channel.funds, async (world, { now }) => {
    await send(world, stranger, { to: settlementAddress, data: deposit(5_000n, now, 1n), gas: 500_000n });
    await world.mine();
    const good = await rowOf(4_000n, 4_000n);
    const ask = (data: Hex, from = stranger) =>
      call(world, data, { to: settlementAddress, from: from.address });
    const zero: Hex = `0x${'0'.repeat(40)}`;
    const answers = await Promise.all([
      ask(deposit(0n, now, 2n)),
      ask(deposit(50_000n, now, 2n)),
      ask(encode('deposit', [{ ...config, receiver: zero }, 1n, collectorAddress, '0x'])),
      ask(encode('deposit', [{ ...config, withdrawDelay: 899 }, 1n, collectorAddress, '0x'])),
      ask(encode('deposit', [config, 1n, zero, '0x'])),
      ask(encode('claim', [[good]])),
      ask(encode('claim', [[good]]), payee),
      ask(encode('claim', [[]]), payee),
      ask(encode('claim', [[await rowOf(4_000n, 4_001n)]]), payee),
      ask(encode('claim', [[await rowOf(9_000n, 5_001n)]]), payee),
      ask(encode('claim', [[await rowOf(4_000n, 4_000n, stranger)]]), payee),
      ask(await claimSigned([good])),
      ask(await claimSigned([good], stranger)),
      ask(await refundSigned(1n, 1n)),
      ask(await refundSigned(0n, 0n)),
      ask(await refundSigned(1n, 0n, stranger)),
      ask(encode('refund', [config, 1n])),
      ask(encode('refund', [config, 1n]), payee),
      ask(encode('initiateWithdraw', [config, 1n])),
      ask(encode('initiateWithdraw', [config, 0n]), payer),
      ask(encode('initiateWithdraw', [config, 5_001n]), payer),
      ask(encode('initiateWithdraw', [config, 5_000n]), payer),
      ask(encode('finalizeWithdraw', [config])),
      ask(encode('finalizeWithdraw', [config]), payer),
      ask(encode('multicall', [[await claimSigned([good]), encode('settle', [payee.address, usdc])]])),
      ask(encode('multicall', [[await claimSigned([good]), await refundSigned(1n, 1n)]])),
      ask(encode('getChannelId', [config])),
      ask(encode('getVoucherDigest', [channel.id, 7n])),
      ask(encode('getRefundDigest', [channel.id, 7n, 8n])),
      ask(encode('getClaimBatchDigest', [[good, await rowOf(4_000n, 1n)]])),
      ask('0x12345678'),
    ]);
    // Anvil's message shows the four bytes of an error as text where they happen to be printable.
    // Nodes differ in the code of a revert without data.
    const dataOf = (data: unknown) => (data === undefined || data === '0x' ? 'reverts' : data);
    return { answers: answers.map(({ result, error }) => result ?? dataOf(error?.data)) };
  });
});
