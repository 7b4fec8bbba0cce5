import { operations } from '@/lib/catalog';
import type { ApiError } from '@/lib/catalog/errors/api-error';
import { usualBodyBytesMax } from '@/lib/http/body';
import { RpcError, rpcCodes } from './rpc-error';

/** The largest input of a tool, and room for the message around it. */
export const bodyBytesMax =
  Math.max(...operations.map((operation) => operation.bodyBytesMax ?? usualBodyBytesMax)) + usualBodyBytesMax;

/** Larger bodies are counted and wait for their turn before they are kept, whether or not they carry a payment. */
export const largeBytes = usualBodyBytesMax;

/** An error about the HTTP request around a message, with the status and headers that it has everywhere else. */
export function refused(error: ApiError): RpcError {
  const { retryAfterSeconds, headers } = error;
  return new RpcError(rpcCodes.refused, error, {
    status: error.status,
    headers: {
      ...headers,
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
      ...(error.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    },
  });
}
