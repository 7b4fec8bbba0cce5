import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { eip3009ABI } from '@x402/evm';
import { encodeFunctionData, type Hex, keccak256, parseSignature } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { evmSignedSchema } from '@/lib/payments/evm/evm-signed';
import type { BenchChain } from './bench-chain';
import type { LoadRequest } from './load-protocol';

/** A signed transaction that makes one payment. */
interface SignedTransfer {
  readonly raw: Hex;
  readonly hash: Hex;
}

/** Signs a transaction for each payment of a lane, from a new account: the part of a call that remains without a server. */
export async function signTransfers(
  chain: BenchChain,
  lane: readonly LoadRequest[],
): Promise<readonly SignedTransfer[]> {
  const account = privateKeyToAccount((await chain.newSeller()).signerKey);
  const [transferWithSignatureParts] = eip3009ABI;
  return Promise.all(
    lane.map(async ({ headers }, nonce) => {
      const { payload } = decodePaymentSignatureHeader(headers['PAYMENT-SIGNATURE'] ?? '');
      const { authorization, signature } = evmSignedSchema.parse({ family: 'evm', ...payload });
      const { r, s, yParity } = parseSignature(signature);
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: 8453,
        nonce,
        to: chain.usdc as Hex,
        data: encodeFunctionData({
          abi: [transferWithSignatureParts],
          args: [
            authorization.from,
            authorization.to,
            BigInt(authorization.value),
            BigInt(authorization.validAfter),
            BigInt(authorization.validBefore),
            authorization.nonce,
            yParity + 27,
            r,
            s,
          ],
        }),
        gas: 200_000n,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 10n ** 9n,
      });
      return { raw, hash: keccak256(raw) };
    }),
  );
}

/** The time the chain takes without a server: each transaction is sent, and its receipt is requested until it exists. */
export async function timeTransfers(url: string, transfers: readonly SignedTransfer[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = async (method: string, param: Hex): Promise<unknown> => {
    const sent = request(url, { agent, method: 'POST', headers: { 'Content-Type': 'application/json' } });
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [param] }));
    const [response]: IncomingMessage[] = await once(sent, 'response');
    if (!response) throw new Error('no response');
    const { result, error } = (await json(response)) as { result?: unknown; error?: { message: string } };
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const times: number[] = [];
  for (const { raw, hash } of transfers) {
    const startedMs = performance.now();
    await call('eth_sendRawTransaction', raw);
    let receipt: unknown = null;
    while (!receipt) receipt = await call('eth_getTransactionReceipt', hash);
    times.push(performance.now() - startedMs);
    if ((receipt as { status: Hex }).status !== '0x1') throw new Error(`${hash} failed`);
  }
  agent.destroy();
  return times;
}
