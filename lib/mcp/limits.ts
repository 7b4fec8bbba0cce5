import { clientNetwork } from '@/lib/addresses/client-network';
import { operations } from '@/lib/catalog';
import { ApiError } from '@/lib/errors/api-error';
import type { ApiResponse } from '@/lib/http/api-message';
import { usualBodyBytesMax } from '@/lib/http/body';
import type { LimitVerdict } from '@/lib/http/rate-limit';
import type { McpContext } from './app';
import { RpcError, rpcCodes } from './rpc-error';

/** The largest input of a tool, and room for the message around it. */
export const bodyBytesMax =
  Math.max(...operations.map((operation) => operation.bodyBytesMax ?? usualBodyBytesMax)) + usualBodyBytesMax;

/** Larger bodies are counted and wait for their turn before they are kept, whether or not they carry a payment. */
export const largeBytes = usualBodyBytesMax;

/** The turn of one message among those that do not pay. */
export class FreeTurn {
  readonly #context: McpContext;
  readonly #done: Promise<unknown>;
  /** The size that the message was counted with; null until then. */
  #counted: number | null = null;
  /** Headers for the response, once the message is counted. */
  headers: LimitVerdict['headers'] = {};

  /** @param done resolves when the message has been answered */
  constructor(context: McpContext, done: Promise<unknown>) {
    this.#context = context;
    this.#done = done;
  }

  /**
   * Counts the message as a free call, and waits for its turn after paid ones. Does so only once; if the message turns
   * out to be larger than what was counted, the difference is counted too.
   * @param bytes the size of the message, as far as it is known
   * @throws RpcError when the limit of the address is used up, or too many wait
   */
  async take(bytes: number): Promise<void> {
    const { app, address } = this.#context;
    const counted = this.#counted;
    this.#counted = Math.max(bytes, counted ?? 0);
    if (counted !== null) return app.rateLimits.noteBytes(address, bytes - counted);
    const { headers, refusal } = await app.rateLimits.countFreeCall(address, bytes);
    this.headers = headers;
    if (refusal) throw refused(refusal);
    if (await app.throttle.callTurn([clientNetwork(address)], this.#done)) return;
    throw refused(new ApiError('service_unavailable', { retryAfterSeconds: 2 }));
  }

  /** Counts a large response, in addition to the message. */
  async note({ body }: ApiResponse): Promise<void> {
    const { app, address } = this.#context;
    if (this.#counted !== null) await app.rateLimits.noteBytes(address, Buffer.byteLength(body ?? ''));
  }
}

/**
 * Refuses an unknown token from an address that has sent too many wrong ones.
 * @throws RpcError
 */
export async function checkToken({ app, address, token }: McpContext): Promise<void> {
  if (token === null) return;
  const { headers, refusal } = await app.rateLimits.checkToken(address, token);
  if (refusal) throw refused(refusal, headers);
}

/** An error about the HTTP request around a message, with the status and headers that it has everywhere else. */
export function refused(error: ApiError, headers: Readonly<Record<string, string>> = {}): RpcError {
  const { retryAfterSeconds } = error;
  return new RpcError(rpcCodes.refused, error, {
    status: error.status,
    headers: {
      ...headers,
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
      ...(error.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    },
  });
}
