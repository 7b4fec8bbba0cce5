import type { Hex, PublicClient } from 'viem';
import type { EvmSigned, Outcome, Payment, Trace } from '@/lib/payments/payment';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { tokenAbi } from './calls';
import type { EvmChain } from './chain';
import { carriesPayment } from './receipts';

/** Public nodes refuse log queries over wider ranges. */
const logRangeBlocks = 9_000n;

/**
 * Finds out from the chain alone what became of a payment. `authorizationState` says used or cancelled without saying
 * which or by whom, so a used authorization counts as paid only with its log and its transfer, and then whoever sent it.
 * An unused one is refused only once a finalized block is past its window: anything else could still be submitted. Where
 * several RPCs are configured, all that answer have to say the same.
 */
export async function resolveEvmOutcome(
  app: Platform,
  chain: EvmChain,
  payment: Payment<EvmSigned>,
  trace: Trace,
): Promise<Outcome> {
  const unknown: Outcome = { kind: 'unknown', transactionHash: trace.transactionHash };
  const condition = app.problems.get(`look-ups on ${payment.network}`);
  try {
    const outcome = await chain.unanimous(
      (client) => outcomeAt(app, client, chain.token, payment, trace),
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

/** Whether every RPC that answers says that the authorization was neither used nor cancelled; false when none answers. */
export async function isUnusedEvm(chain: EvmChain, payment: Payment<EvmSigned>): Promise<boolean> {
  const isUsed = await chain
    .unanimous((client) => authorizationState(client, chain.token, payment), String)
    .catch(() => null);
  return isUsed === false;
}

function describeOutcome(outcome: Outcome | null): string {
  if (!outcome) return 'unknown';
  if (outcome.kind === 'unknown') return outcome.isUnused ? 'unused' : 'unknown';
  return outcome.kind === 'settled'
    ? `settled ${outcome.transactionHash} ${outcome.block?.hash}`
    : outcome.kind;
}

async function outcomeAt(
  app: Platform,
  client: PublicClient,
  token: Hex,
  payment: Payment<EvmSigned>,
  { sinceHeight, transactionHash }: Trace,
): Promise<Outcome | null> {
  const isUsed = await authorizationState(client, token, payment);
  if (isUsed) return usedOrCancelled(client, token, payment, sinceHeight);
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

async function usedOrCancelled(
  client: PublicClient,
  token: Hex,
  payment: Payment<EvmSigned>,
  sinceHeight: bigint,
): Promise<Outcome | null> {
  const { from, nonce } = payment.signed.authorization;
  // One event at a time: for several, viem leaves the arguments out of the question and asks for all that the token logs.
  const of = { address: token, abi: tokenAbi, args: { authorizer: from, nonce }, strict: true } as const;
  const latest = await client.getBlockNumber({ cacheTime: 0 });
  for (let start = sinceHeight; start <= latest; start += logRangeBlocks) {
    const end = start + logRangeBlocks - 1n;
    const range = { fromBlock: start, toBlock: end < latest ? end : latest };
    const logs = await Promise.all([
      client.getContractEvents({ ...of, ...range, eventName: 'AuthorizationUsed' }),
      client.getContractEvents({ ...of, ...range, eventName: 'AuthorizationCanceled' }),
    ]);
    for (const { eventName, transactionHash } of logs.flat()) {
      if (eventName === 'AuthorizationCanceled') {
        return { kind: 'refused', reason: 'authorization_canceled' };
      }
      const receipt = await client.getTransactionReceipt({ hash: transactionHash });
      if (carriesPayment(receipt, payment)) {
        const block = { number: receipt.blockNumber, hash: receipt.blockHash };
        return { kind: 'settled', transactionHash, block };
      }
      // The payer had signed another authorization with the same nonce, and that one was used: ours never can be.
      return { kind: 'refused', reason: 'authorization_used_elsewhere' };
    }
  }
  return null;
}

/** @returns what a finalized block past the window says of an unused authorization; null as long as there is none */
async function expiry(
  app: Platform,
  client: PublicClient,
  token: Hex,
  payment: Payment<EvmSigned>,
): Promise<Outcome | null> {
  const validBefore = BigInt(payment.signed.authorization.validBefore);
  if (BigInt(Math.floor(app.clock.now() / 1000)) < validBefore) return null;
  const finalized = await client.getBlock({ blockTag: 'finalized' });
  if (finalized.timestamp < validBefore) return null;
  const wasUsed = await authorizationState(client, token, payment, finalized.number);
  // Used below a head that says it was not: the node contradicts itself, and nothing is known.
  if (wasUsed) return { kind: 'unknown', transactionHash: null };
  return { kind: 'refused', reason: 'authorization_expired_unused' };
}
