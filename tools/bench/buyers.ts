import { createHash } from 'node:crypto';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm';
import { x402Client } from '@x402/fetch';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { BenchChain } from './bench-chain';
import type { LoadRequest } from './load-protocol';

/** The price of an upload slot, ours and the official baseline's. */
export const priceAtomic = 5_000n;

export type Buyer = PrivateKeyAccount;

/** New wallets with USDC on the chain. */
export async function newBuyers(chain: BenchChain, count: number): Promise<Buyer[]> {
  const buyers = Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()));
  await chain.fundBuyers(buyers.map(({ address }) => address));
  return buyers;
}

/** What is sent with every payment: the upload to reserve. */
export function announcement(bytes: Buffer): string {
  const digest = createHash('sha256').update(bytes).digest();
  return JSON.stringify({
    mime: 'application/octet-stream',
    size: bytes.length,
    sha256: digest.toString('hex'),
    sha256Base64: digest.toString('base64'),
    filename: 'bench.bin',
  });
}

export const smallAnnouncement = announcement(Buffer.from('hello'));

/** Asks for the price once and signs `perBuyer` payments for each buyer with the official client. */
export async function signCalls(
  url: string,
  buyers: readonly Buyer[],
  perBuyer: number,
  body = smallAnnouncement,
): Promise<LoadRequest[][]> {
  const challenge = await readChallenge(url);
  const lanes: LoadRequest[][] = [];
  for (const buyer of buyers) {
    const client = new x402Client((_, accepts) => {
      const wanted = accepts.find(({ network }) => network === 'eip155:8453');
      if (!wanted) throw new Error(`${url} does not offer Base`);
      return wanted;
    }).register('eip155:*', new ExactEvmScheme(buyer));
    const lane: LoadRequest[] = [];
    for (let call = 0; call < perBuyer; call += 1) {
      const envelope = await client.createPaymentPayload(challenge);
      lane.push(toRequest(url, envelope, body));
    }
    lanes.push(lane);
  }
  return lanes;
}

/** A call with its payment. */
export function toRequest(url: string, envelope: PaymentPayload, body = smallAnnouncement): LoadRequest {
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'PAYMENT-SIGNATURE': encodePaymentSignatureHeader(envelope),
  };
  return { method: 'POST', url, headers, body };
}

export async function readChallenge(url: string): Promise<PaymentRequired> {
  const answer = await fetch(url, { method: 'POST' });
  const header = answer.headers.get('payment-required');
  if (!header) throw new Error(`${url} answers ${answer.status} without a challenge: ${await answer.text()}`);
  return decodePaymentRequiredHeader(header);
}
