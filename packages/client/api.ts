import { z } from 'zod';
import { about } from '@/lib/catalog/about';
import { adapter } from '@/lib/catalog/adapter';
import { nextSteps, paymentOutcomes } from '@/lib/catalog/errors/codes/description';
import { wasNeverSent } from '@/lib/platform/upstream/never-sent';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly token?: string;
  readonly idempotencyKey?: string;
  /** A signed x402 payment, as its header. */
  readonly payment?: string;
  readonly body?: unknown;
}

/** The fields of the service's error body that are used here. A newer service may send more. */
const apiError = z.looseObject({
  code: z.string(),
  message: z.string(),
  payment: z.enum(paymentOutcomes),
  retry: z.enum(nextSteps),
  issues: z.array(z.object({ path: z.string(), rule: z.string() })).optional(),
  account: z.unknown().optional(),
  paidCallId: z.string().optional(),
  requestId: z.string().optional(),
  docs: z.string().optional(),
});
export type ApiRefusal = z.infer<typeof apiError>;

export type ApiResult =
  | { readonly kind: 'ok'; readonly body: unknown; readonly headers: Pick<Headers, 'get'> }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly error: ApiRefusal;
      readonly retryAfterMs: number | undefined;
      /** The header with the x402 terms, if the service asks for a payment (402). */
      readonly terms?: string;
    }
  /** No response came back. `wasSent`: whether the request may have reached the service. */
  | { readonly kind: 'lost'; readonly wasSent: boolean; readonly cause: unknown };

/** In bytes. The largest response, 50 flight offers, is far smaller. */
const responseBytesMax = 8 * 1024 * 1024;

/** Calls the service once. Never throws; failures are part of the result. */
export async function callApi(
  apiUrl: string,
  { method, path, token, idempotencyKey, payment, body }: ApiRequest,
  timeoutMs: number,
): Promise<ApiResult> {
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'User-Agent': `${adapter.packageName}/${about.version}`,
  };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
  if (payment) headers['PAYMENT-SIGNATURE'] = payment;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  try {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      // A token or a payment is sent only to the origin that it is meant for.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return readResult(response, await readText(response));
  } catch (error) {
    return { kind: 'lost', wasSent: !wasNeverSent(error), cause: error };
  }
}

/** @throws Error if the response is longer than any real one, whatever its Content-Length says */
async function readText({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  for (let length = 0; reader && length <= responseBytesMax; ) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks).toString('utf8');
    chunks.push(value);
    length += value.byteLength;
  }
  await reader?.cancel();
  if (reader) throw new Error(`The response is longer than ${responseBytesMax} bytes.`);
  return '';
}

function readResult({ status, headers }: Response, text: string): ApiResult {
  const terms = headers.get('payment-required');
  if (status === 402 && terms !== null) return { ...asksForPayment(headers), terms };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return { kind: 'lost', wasSent: true, cause: error };
  }
  if (status >= 200 && status < 300) return { kind: 'ok', body, headers };
  const { success, data } = z.object({ error: apiError }).safeParse(body);
  // This response comes from a gateway, so it is unknown what the service did.
  if (!success) return { kind: 'lost', wasSent: true, cause: new Error(`HTTP ${status}`) };
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return {
    kind: 'refused',
    status,
    error: data.error,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  };
}

/** A 402 response of x402, whose body has the payment terms and not our error. */
function asksForPayment(headers: Headers): Extract<ApiResult, { kind: 'refused' }> {
  return {
    kind: 'refused',
    status: 402,
    error: {
      code: 'payment_required',
      message: 'The service asks for a payment. Nothing was charged.',
      payment: 'none',
      retry: 'pay',
      paidCallId: headers.get('paid-call-id') ?? undefined,
    },
    retryAfterMs: undefined,
  };
}
