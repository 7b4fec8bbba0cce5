import { decodePaymentSignatureHeader } from '@x402/core/http';
import { Credential } from 'mppx';
import { z } from 'zod';

/** A request as it was sent. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came back; `status` is 0 and `failure` says why if nothing did. */
export interface Reply {
  readonly request: SentRequest;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly failure: string | null;
}

const textMax = 200_000;

/** Whether the seller delivered. */
export const isDelivery = ({ status }: Reply) => status >= 200 && status < 300;

/** Sends a request. An answer that is late or breaks off is no exception. */
export async function sendRequest(
  request: SentRequest,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<Reply> {
  const limits = [AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])];
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: { ...request.headers },
      body: request.body,
      redirect: 'manual',
      signal: AbortSignal.any(limits),
    });
    const text = await readText(response);
    return { request, status: response.status, headers: response.headers, text, failure: null };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { request, status: 0, headers: new Headers(), text: '', failure };
  }
}

/** The beginning of a body. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > textMax) break;
  }
  return text.slice(0, textMax);
}

const authorization = z.object({ from: z.string(), nonce: z.string() });
const x402Payload = z.object({ payload: z.object({ authorization }) });

/** Which payment a request carries: payer and nonce, which the token lets pass once. Null if it carries none. */
export function paymentOf(headers: Headers): { readonly payer: string; readonly id: string } | null {
  const found = readAuthorization(headers);
  if (!found) return null;
  const payer = found.from.toLowerCase();
  return { payer, id: `${payer} ${found.nonce.toLowerCase()}` };
}

function readAuthorization(headers: Headers): z.infer<typeof authorization> | null {
  const signed = headers.get('payment-signature');
  const credential = headers.get('authorization');
  try {
    if (signed !== null) return x402Payload.parse(decodePaymentSignatureHeader(signed)).payload.authorization;
    if (credential?.startsWith('Payment '))
      return authorization.parse(Credential.deserialize(credential).payload);
  } catch {
    return null;
  }
  return null;
}
