import { decodeFunctionResult, encodeFunctionData, type Hex, zeroHash } from 'viem';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import type { NetworkProblem } from '@/lib/payments/settlers';
import { usdcDomainSeparator } from './authorization';
import { decodeBatch, encodeBatch, unlessReverted } from './batcher';
import type { EvmChain } from './evm-chain';
import { transferGas } from './evm-gas';
import { refusalReason, revertText, tokenAbi, tokenPaused } from './usdc-token';

/**
 * Asks the token what would stop every payment: a pause, our payee on its block list, or new code that no longer takes
 * the payments that we ask for. Circle can do each of these at any moment.
 * @returns what is wrong; empty when the token can be paid with
 * @throws when no RPC answers
 */
export async function tokenProblems(chain: EvmChain): Promise<NetworkProblem[]> {
  const { payTo, network } = chain.offer;
  const { setting, usdcDomain } = network;
  const [separator, isPaused, isBlocked, expired] = await Promise.all([
    ask(chain, { functionName: 'DOMAIN_SEPARATOR' }),
    ask(chain, { functionName: 'paused' }),
    isBlockListed(chain, payTo as Hex),
    tryExpiredTransfer(chain),
  ]);
  if (separator !== usdcDomainSeparator(chain.offer)) {
    return [
      {
        message: `the token at ${chain.token} does not report the EIP-712 domain of ${usdcDomain.name}, version ${usdcDomain.version}`,
        advice: `Remove ${setting.toLowerCase()} from USDC_ADDRESS, or set it to Circle's USDC on ${network.name}.`,
        isOfToken: true,
      },
    ];
  }
  if (isPaused === true || expired === 'paused') {
    const message = `the token at ${chain.token} is paused`;
    return [
      { message, advice: 'Wait until Circle ends the pause. Nothing is to be done here.', isOfToken: true },
    ];
  }
  if (isBlocked || expired === 'blocked') {
    return [
      {
        message: `the payee ${payTo} is on the block list of the token`,
        advice: 'Set PAY_TO_EVM to another address of yours, and ask Circle about this one.',
        isOfToken: true,
      },
    ];
  }
  if (expired === 'missing') {
    return [
      {
        message: `the token at ${chain.token} takes no transfers by authorization (EIP-3009)`,
        advice: `Compare the token with Circle's USDC on ${network.name}: its code was replaced.`,
        isOfToken: true,
      },
    ];
  }
  return [];
}

/** Whether an address is on the token's block list. @throws when no RPC answers */
export async function isBlockListed(chain: EvmChain, account: Hex): Promise<boolean> {
  return (await ask(chain, { functionName: 'isBlacklisted', args: [account] })) === true;
}

type Question =
  | { readonly functionName: 'DOMAIN_SEPARATOR' | 'paused' }
  | { readonly functionName: 'isBlacklisted'; readonly args: readonly [Hex] };

/** The result of one of the token's functions; null when it has no such function. */
async function ask(chain: EvmChain, question: Question): Promise<unknown> {
  const call = { to: chain.token, data: encodeFunctionData({ abi: tokenAbi, ...question }) };
  const data = await chain.client.call(call).then((answer) => answer.data, unlessReverted);
  if (!data) return null;
  try {
    return decodeFunctionResult({ abi: tokenAbi, functionName: question.functionName, data });
  } catch {
    // The token has a fallback function.
    return null;
  }
}

/** What the token says to a transfer that can never be carried out, because its time is over. */
type ExpiredTransfer = 'refused' | 'paused' | 'blocked' | 'missing' | 'unknown';

/**
 * Sends the token an authorization of nothing, from the payee to the payee, that has expired. Circle's token looks at the pause
 * and the block list before the time, and at the time before the signature. So the answer is what every payment would get.
 */
async function tryExpiredTransfer(chain: EvmChain): Promise<ExpiredTransfer> {
  const batcher = await chain.batcher().catch(() => null);
  if (!batcher) return 'unknown';
  const payee = chain.offer.payTo as Hex;
  const authorization = {
    from: payee,
    to: payee,
    value: '0',
    validAfter: '0',
    validBefore: '0',
    nonce: zeroHash,
  };
  const signed: EvmSigned = {
    family: 'evm',
    authorization,
    signature: `0x${'00'.repeat(64)}1b`,
    signer: 'key',
  };
  const cap = transferGas.withoutCode;
  const data = encodeBatch(batcher, chain.token, [{ signed }], cap);
  const answer = await chain.client
    .call({ to: batcher.address, data })
    .then(({ data: all }) => all, unlessReverted);
  const result = answer ? firstResult(batcher, answer) : undefined;
  if (!result) return 'unknown';
  const text = revertText(result.returnData);
  if (result.success || result.returnData === '0x') return 'missing';
  if (refusalReason(result.returnData) === tokenPaused) return 'paused';
  return /(black|block)list/i.test(text) ? 'blocked' : 'refused';
}

/** The result of the only transfer of a batch; undefined when the answer is none, which says nothing about the token. */
function firstResult(...[batcher, answer]: Parameters<typeof decodeBatch>) {
  try {
    return decodeBatch(batcher, answer)[0];
  } catch {
    return undefined;
  }
}
