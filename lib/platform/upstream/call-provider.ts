import { ApiError } from '@/lib/catalog/errors/api-error';
import { isJsonObject, parseJson } from '@/lib/platform/json';
import type { Platform } from '@/lib/platform/platform';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { UpstreamFailure } from './failure';
import { wasNeverSent, wasSlowToConnect } from './never-sent';
import { findProvider, type Provider, type RemoteName } from './providers';

interface CallProviderDeps
  extends WithUpstream,
    Pick<Platform, 'settings' | 'clock' | 'timings' | 'metrics'> {}

export interface ProviderRequest {
  readonly method: 'GET' | 'POST';
  /** Relative to the provider's base URL, with the query. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** For the whole request: connecting, waiting and reading. */
  readonly timeoutMs: number;
  /** The largest response that is read. */
  readonly bytesMax: number;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** A provider's response with any status. Always a JSON object. */
export interface ProviderResponse {
  readonly status: number;
  readonly json: JsonObject;
  /** The provider's Retry-After in seconds; null when it sent none. */
  readonly retryAfter: number | null;
}

/**
 * Calls a provider once, and again only if the first attempt did not reach it. Redirects are not followed, because our
 * key is not meant for another host.
 * @throws ApiError provider_unconfigured
 * @throws UpstreamFailure of kind `unreachable` when nothing was sent, and of kind `failed` when there is no usable
 *   response: `timeout`, `interrupted`, `redirected`, `too_large` or `not_json`
 */
export async function callProvider(
  app: CallProviderDeps,
  name: RemoteName,
  request: ProviderRequest,
): Promise<ProviderResponse> {
  const provider = findProvider(app, name);
  if (!provider) throw new ApiError('provider_unconfigured');
  const { providerRequests, providerSeconds } = app.metrics;
  const end = providerSeconds.startTimer({ provider: name });
  try {
    const { observer } = app.metrics;
    const ask = (headers: Readonly<Record<string, string>>) => exchange(app, provider, request, headers);
    const response = await (observer ? observer.outgoing(name, ask) : ask({}));
    providerRequests.inc({ provider: name, result: `${Math.floor(response.status / 100)}xx` });
    return response;
  } catch (error) {
    const result = error instanceof UpstreamFailure ? error.reason : 'failed';
    providerRequests.inc({ provider: name, result });
    throw error;
  } finally {
    end();
  }
}

async function exchange(
  app: CallProviderDeps,
  provider: Provider,
  request: ProviderRequest,
  headers: Readonly<Record<string, string>>,
): Promise<ProviderResponse> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  try {
    const response = await send(app, provider, request, headers, signal);
    app.circuitBreakers.noteContact(provider.name);
    const { status, headers: answered } = response;
    const text = await readText(response, request.bytesMax);
    if (status >= 300 && status < 400) throw new UpstreamFailure('failed', 'redirected', { status });
    return { status, json: parseObject(text, status), retryAfter: retryAfterOf(app, answered) };
  } catch (error) {
    if (error instanceof UpstreamFailure) throw error;
    if (signal.aborted) throw new UpstreamFailure('failed', 'timeout', { cause: error });
    if (wasNeverSent(error)) throw new UpstreamFailure('unreachable', 'no_connection', { cause: error });
    throw new UpstreamFailure('failed', 'interrupted', { cause: error });
  }
}

async function send(
  app: Pick<Platform, 'clock' | 'timings'>,
  provider: Provider,
  request: ProviderRequest,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  const { method, path, body } = request;
  const attempt = () =>
    fetch(`${provider.baseUrl}${path}`, {
      method,
      headers: {
        ...headers,
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...provider.headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      redirect: 'manual',
      cache: 'no-store',
      signal,
    });
  try {
    return await attempt();
  } catch (error) {
    if (signal.aborted || !wasNeverSent(error) || wasSlowToConnect(error)) throw error;
    await app.clock.sleep(app.timings.providers.reconnectMs);
    return attempt();
  }
}

async function readText(response: Response, bytesMax: number): Promise<string> {
  if (!response.body) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new TextDecoder().decode(Buffer.concat(chunks));
    length += value.byteLength;
    if (length > bytesMax) {
      await reader.cancel();
      throw new UpstreamFailure('failed', 'too_large', { status: response.status, isOfRequest: true });
    }
    chunks.push(value);
  }
}

/** An error from a proxy in between may not be JSON. Then only its status counts. */
function parseObject(text: string, status: number): JsonObject {
  const value = parseJson(text);
  if (isJsonObject(value)) return value;
  if (status >= 400) return {};
  throw new UpstreamFailure('failed', 'not_json', { status });
}

/** Duffel sends the end of its limit in its own header. */
function retryAfterOf(app: Pick<Platform, 'clock'>, headers: Headers): number | null {
  return secondsOf(app, headers.get('retry-after') ?? headers.get('ratelimit-reset'));
}

/** RFC 9110, 10.2.3: seconds, or a date. */
function secondsOf(app: Pick<Platform, 'clock'>, header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - app.clock.now()) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : null;
}
