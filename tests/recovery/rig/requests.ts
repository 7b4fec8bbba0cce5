import { x402Client } from '@x402/core/client';
import type { PaymentPayload } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm';
import { ExactSvmScheme } from '@x402/svm';
import { challengeOf, paymentHeader } from '../../support/buyer';
import { aFile } from '../../support/files';
import type { Rig, Wallet } from './rig';
import { pause } from './waiting';

/** A signed request, to be sent as often as it takes, always the same. */
export interface SignedRequest {
  readonly url: string;
  readonly payer: string;
  readonly priceAtomic: bigint;
  readonly envelope: PaymentPayload;
  readonly init: { method: string; headers: Record<string, string>; body?: string };
}

/** What the official client of a wallet would send for an upload, or for a path without a body. */
export async function sign(
  rig: Pick<Rig, 'apiUrl' | 'chainUrls'>,
  wallet: Wallet,
  path = '/v1/uploads',
  method = 'POST',
): Promise<SignedRequest> {
  const url = `${rig.apiUrl}${path}`;
  const isEvm = 'signTypedData' in wallet;
  const prefix = isEvm ? 'eip155:' : 'solana:';
  const client = new x402Client((_, accepts) => {
    const wanted = accepts.find((candidate) => candidate.network.startsWith(prefix));
    if (!wanted) throw new Error(`no ${prefix} network is offered`);
    return wanted;
  });
  if (isEvm) client.register('eip155:*', new ExactEvmScheme(wallet));
  else client.register('solana:*', new ExactSvmScheme(wallet, { rpcUrl: rig.chainUrls.solana ?? '' }));
  const envelope = await client.createPaymentPayload(await challengeOf(url, method));
  const takesBody = path === '/v1/uploads';
  return {
    url,
    payer: wallet.address,
    priceAtomic: BigInt(envelope.accepted.amount),
    envelope,
    init: {
      method,
      headers: { ...(takesBody ? { 'Content-Type': 'application/json' } : {}), ...paymentHeader(envelope) },
      body: takesBody ? aFile().body : undefined,
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly body: any;
}

/** Sends a request once. Rejects when the connection ends without an answer. */
export async function ask(request: SignedRequest, signal?: AbortSignal): Promise<Answer> {
  const answer = await fetch(request.url, { ...request.init, signal });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/**
 * Sends the identical request until there is an end to it: what a patient client does that got no answer, or one that
 * says «the same request, later».
 */
export async function persist(request: SignedRequest, timeoutMs = 45_000): Promise<Answer> {
  const deadline = Date.now() + timeoutMs;
  let last = 'no answer';
  while (Date.now() < deadline) {
    const answer = await ask(request, AbortSignal.timeout(40_000)).catch(() => null);
    if (answer && !['same_request', 'later'].includes(answer.body?.error?.retry)) return answer;
    if (answer) last = `${answer.status} ${JSON.stringify(answer.body)}`;
    await pause(200);
  }
  throw new Error(`no end to it in ${timeoutMs} ms; last: ${last}`);
}
