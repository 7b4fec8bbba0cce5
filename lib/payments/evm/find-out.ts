import { describeError, log } from '@/lib/log';
import type { EvmSigned, Outcome, Payment, Trace } from '@/lib/payments/payment';
import { tokenAbi } from './calls';
import type { EvmChain } from './chain';
import { carriesPayment } from './receipts';

/** Public nodes refuse log queries over wider ranges. */
const logRangeBlocks = 9_000n;

/**
 * Finds out from the chain alone what became of a payment. `authorizationState` says used or cancelled without saying
 * which or by whom, so a used authorization counts as paid only with its log and its transfer, and then whoever sent it.
 * An unused one is refused only once a finalized block is past its window: anything else could still be submitted.
 */
export async function findOutEvm(
  chain: EvmChain,
  payment: Payment<EvmSigned>,
  trace: Trace,
): Promise<Outcome> {
  const unknown: Outcome = { kind: 'unknown', transactionHash: trace.transactionHash };
  try {
    const used = await chain.client.readContract({
      address: chain.token,
      abi: tokenAbi,
      functionName: 'authorizationState',
      args: [payment.signed.authorization.from, payment.signed.authorization.nonce],
    });
    if (used) return (await usedOrCancelled(chain, payment, trace.sinceHeight)) ?? unknown;
    return (await expiredForGood(chain, payment)) ?? unknown;
  } catch (error) {
    log().warn({ network: payment.network, error: describeError(error) }, 'a payment could not be looked up');
    return unknown;
  }
}

async function usedOrCancelled(
  chain: EvmChain,
  payment: Payment<EvmSigned>,
  sinceHeight: bigint,
): Promise<Outcome | null> {
  const { from, nonce } = payment.signed.authorization;
  const latest = await chain.client.getBlockNumber({ cacheTime: 0 });
  for (let start = sinceHeight; start <= latest; start += logRangeBlocks) {
    const end = start + logRangeBlocks - 1n;
    const logs = await chain.client.getContractEvents({
      address: chain.token,
      abi: tokenAbi,
      args: { authorizer: from, nonce },
      fromBlock: start,
      toBlock: end < latest ? end : latest,
      strict: true,
    });
    for (const entry of logs) {
      if (entry.eventName === 'AuthorizationCanceled') {
        return { kind: 'refused', reason: 'authorization_canceled' };
      }
      const receipt = await chain.client.getTransactionReceipt({ hash: entry.transactionHash });
      if (carriesPayment(receipt, payment)) {
        return { kind: 'settled', transactionHash: entry.transactionHash };
      }
    }
  }
  return null;
}

async function expiredForGood(chain: EvmChain, payment: Payment<EvmSigned>): Promise<Outcome | null> {
  const validBefore = BigInt(payment.signed.authorization.validBefore);
  if (BigInt(Math.floor(Date.now() / 1000)) < validBefore) return null;
  const finalized = await chain.client.getBlock({ blockTag: 'finalized' });
  if (finalized.timestamp < validBefore) return null;
  const usedAtTheEnd = await chain.client.readContract({
    address: chain.token,
    abi: tokenAbi,
    functionName: 'authorizationState',
    args: [payment.signed.authorization.from, payment.signed.authorization.nonce],
    blockNumber: finalized.number,
  });
  return usedAtTheEnd ? null : { kind: 'refused', reason: 'authorization_expired_unused' };
}
