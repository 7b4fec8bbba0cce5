import { z } from 'zod';
import { about } from '@/lib/catalog/about';
import { adapter } from '@/lib/catalog/adapter';
import { nextSteps, paymentOutcomes } from '@/lib/errors/codes/description';
import { wasNeverSent } from '@/lib/upstream/never-sent';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly token?: string;
  readonly idempotencyKey?: string;
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
  | { readonly kind: 'ok'; readonly body: unknown }
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly error: ApiRefusal;
      readonly retryAfterMs: number | undefined;
    }
  /** No response came back. `wasSent`: whether the request may have reached the service. */
  | { readonly kind: 'lost'; readonly wasSent: boolean; readonly cause: unknown };

/** Bytes. The largest response, 50 flight offers, is far smaller. */
const responseBytesMax = 8 * 1024 * 1024;

/** Calls the service once. Never throws; failures are part of the result. */
export async function callApi(
  apiUrl: string,
  { method, path, token, idempotencyKey, body }: ApiRequest,
  timeoutMs: number,
): Promise<ApiResult> {
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'User-Agent': `${adapter.packageName}/${about.version}`,
  };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  try {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      // A token is sent only to the origin that issued it.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return readResult(response.status, response.headers.get('retry-after'), await readText(response));
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

function readResult(status: number, retryAfter: string | null, text: string): ApiResult {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return { kind: 'lost', wasSent: true, cause: error };
  }
  if (status >= 200 && status < 300) return { kind: 'ok', body };
  const { success, data } = z.object({ error: apiError }).safeParse(body);
  // This is a gateway's response, so it is not known what the service did.
  if (!success) return { kind: 'lost', wasSent: true, cause: new Error(`HTTP ${status}`) };
  const seconds = Number(retryAfter ?? Number.NaN);
  return {
    kind: 'refused',
    status,
    error: data.error,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  };
}
