import type { Hex, PublicClient } from 'viem';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import type { Outcome, Trace } from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';
import type { ChainPlatform } from '@/lib/platform/platform';
import { carriesPayment } from './authorized-transfers';
import type { EvmChain } from './evm-chain';
import { isMined } from './mined-receipts';
import { tokenAbi } from './usdc-token';

/** Public nodes reject log queries over more blocks. */
const logRangeBlocks = 9_000n;

/**
 * Finds out a payment's outcome from the chain. `authorizationState` does not distinguish used from canceled, so a used
 * authorization counts as paid only with its log and its transfer. It does not matter who submitted it. An unused one
 * is refused only once a finalized block is past its validity, because until then it could still be submitted. All RPCs
 * that respond must agree.
 */
export async function resolveEvmOutcome(
  app: ChainPlatform,
  chain: EvmChain,
  payment: Payment<EvmSigned>,
  trace: Trace,
): Promise<Outcome> {
  const unknown: Outcome = { kind: 'unknown', transactionHash: trace.transactionHash };
  const condition = app.problems.get(`look-ups on ${payment.network}`);
  try {
    const outcome = await chain.unanimous(
      (client) => outcomeAt(app, client, chain, payment, trace),
      describeOutcome,
    );
    condition.end({ network: payment.network });
    return outcome ?? unknown;
  } catch (error) {
    const details = { network: payment.network, error: describeError(error) };
    condition.report('warn', details, 'payments cannot be looked up');
    return unknown;
  }
}

/**
 * Whether every RPC that responds says that the authorization was neither used nor canceled; false when none responds.
 */
export async function isUnusedEvm(chain: EvmChain, payment: Payment<EvmSigned>): Promise<boolean> {
  const isUsed = await chain
    .unanimous((client) => authorizationState(client, chain.token, payment), String)
    .catch(() => null);
  return isUsed === false;
}

function describeOutcome(outcome: Outcome | null): string {
  if (!outcome) return 'unknown';
  if (outcome.kind === 'unknown') return outcome.isUnused ? 'unused' : 'unknown';
  if (outcome.kind === 'refused') return outcome.isReversible ? 'refused for now' : 'refused';
  return `settled ${outcome.transactionHash} ${outcome.block?.hash}`;
}

async function outcomeAt(
  app: ChainPlatform,
  client: PublicClient,
  { token, offer }: EvmChain,
  payment: Payment<EvmSigned>,
  { sinceHeight, transactionHash }: Trace,
): Promise<Outcome | null> {
  const isUsed = await authorizationState(client, token, payment);
  if (isUsed) return usedOrCancelled(client, token, payment, sinceHeight, BigInt(offer.finalityBlocks));
  return (await expiry(app, client, token, payment)) ?? { kind: 'unknown', transactionHash, isUnused: true };
}

function authorizationState(
  client: PublicClient,
  token: Hex,
  payment: Payment<EvmSigned>,
  blockNumber?: bigint,
): Promise<boolean> {
  const { from, nonce } = payment.signed.authorization;
  return client.readContract({
    address: token,
    abi: tokenAbi,
    functionName: 'authorizationState',
    args: [from, nonce],
    blockNumber,
  });
}

/**
 * @param margin how many blocks before `sinceHeight` are searched too: a reorganization may have put the transaction into an earlier
 * block than the newest one when the payment arrived, and that height may have come from a node that was ahead of others, or lied
 */
async function usedOrCancelled(
  client: PublicClient,
  token: Hex,
  payment: Payment<EvmSigned>,
  sinceHeight: bigint,
  margin: bigint,
): Promise<Outcome | null> {
  const { from, nonce } = payment.signed.authorization;
  // One event per query: with several, viem drops the arguments and fetches all logs of the token.
  const of = { address: token, abi: tokenAbi, args: { authorizer: from, nonce }, strict: true } as const;
  const latest = await client.getBlockNumber({ cacheTime: 0 });
  const known = sinceHeight < latest ? sinceHeight : latest;
  for (let start = known > margin ? known - margin : 0n; start <= latest; start += logRangeBlocks) {
    const end = start + logRangeBlocks - 1n;
    const range = { fromBlock: start, toBlock: end < latest ? end : latest };
    const logs = await Promise.all([
      client.getContractEvents({ ...of, ...range, eventName: 'AuthorizationUsed' }),
      client.getContractEvents({ ...of, ...range, eventName: 'AuthorizationCanceled' }),
    ]);
    for (const { eventName, transactionHash, blockHash, blockNumber } of logs.flat()) {
      if (eventName === 'AuthorizationCanceled') {
        return refusedIn(client, blockNumber, 'authorization_canceled');
      }
      const receipt = await client.getTransactionReceipt({ hash: transactionHash });
      // The node that answered this time does not have the block of the log, or no longer: after a reorganization the same
      // transaction may do nothing, because another one carries out the payment.
      if (!isMined(receipt) || receipt.blockHash !== blockHash) return null;
      if (carriesPayment(receipt, payment)) {
        const block = { number: receipt.blockNumber, hash: receipt.blockHash };
        return { kind: 'settled', transactionHash, block };
      }
      // The payer signed another authorization with the same nonce, and that one was used, so ours never can be.
      return refusedIn(client, blockNumber, 'authorization_used_elsewhere');
    }
  }
  return null;
}

/** The refusal of a payment whose nonce something else has used in this block. */
async function refusedIn(client: PublicClient, blockNumber: bigint, reason: string): Promise<Outcome> {
  const finalized = await client.getBlock({ blockTag: 'finalized' });
  const refused = { kind: 'refused', reason } as const;
  return finalized.number >= blockNumber ? refused : { ...refused, isReversible: true };
}

/** @returns the refusal of an unused authorization once a finalized block is past its validity; null before that */
async function expiry(
  app: ChainPlatform,
  client: PublicClient,
  token: Hex,
  payment: Payment<EvmSigned>,
): Promise<Outcome | null> {
  const validBefore = BigInt(payment.signed.authorization.validBefore);
  if (BigInt(Math.floor(app.clock.now() / 1000)) < validBefore) return null;
  const finalized = await client.getBlock({ blockTag: 'finalized' });
  if (finalized.timestamp < validBefore) return null;
  const wasUsed = await authorizationState(client, token, payment, finalized.number);
  // The node contradicts itself: used in a finalized block, but not at the head.
  if (wasUsed) return { kind: 'unknown', transactionHash: null };
  return { kind: 'refused', reason: 'authorization_expired_unused' };
}
