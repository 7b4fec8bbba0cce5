import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiPath, endpointFor } from '@/lib/catalog/endpoints';
import type { ApiError } from '@/lib/catalog/errors/api-error';
import { testHeaders } from '@/lib/catalog/test-service';
import apiHeaders from '@/lib/http/api-headers.json' with { type: 'json' };
import { bytesOf, readBytes } from '@/lib/http/body';
import { countCall, type LimitedCall } from '@/lib/http/call-limits';
import { countChallenge } from '@/lib/http/count-requests';
import { credentialHeaders } from '@/lib/http/credential-headers';
import type { ServedApp } from '@/lib/http/http-app';
import { whenOver } from '@/lib/http/request-over';
import type { ChallengeRequest } from '@/lib/payments/rail';
import { signInKey } from '@/lib/payments/sign-in/sign-in-message';
import { offerParameter } from '@/lib/payments/x402/offer-receipt';
import { clientNetwork } from '@/lib/platform/addresses/client-network';
import { isAvailable } from '@/lib/platform/upstream/availability';
import { NodeApiRequest } from './api-request';

/**
 * An unpaid request to a paid path that was answered, a request there whose payment or token, however broken, the pipeline
 * reads, or any other.
 */
type Arrival = 'answered' | 'with_credential' | 'free';

const noQuery = new URLSearchParams();
const constantHeaders = Object.entries(apiHeaders).flat();

/**
 * Answers an unpaid request to a paid path with its challenge, before anything else is done for it. The paid-call pipeline
 * answers all others, and unpaid requests with the same function.
 * @param found the path in the API; null if it is not one
 */
export async function handleUnpaidCall(
  app: ServedApp,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
  found: ApiPath | null,
): Promise<Arrival> {
  const { method = '', url = '' } = req;
  const endpoint = found && endpointFor(found, method);
  if (endpoint?.kind !== 'paid') return 'free';
  if (credentialHeaders.some((name) => req.headers[name] !== undefined)) return 'with_credential';
  // It may get what it has paid for before.
  if (req.headers[signInKey] !== undefined) return 'free';
  const { operation, rail } = endpoint;
  const queryAt = url.indexOf('?');
  const query = queryAt < 0 ? noQuery : new URLSearchParams(url.slice(queryAt + 1));
  // Prices in the body, signed offers and prepaid accounts are left to the paid-call pipeline.
  if (operation.variablePrice || query.has(offerParameter) || rail === 'account') return 'free';
  if (app.payments.networks.offered().length === 0 || !isAvailable(app, operation)) return 'free';
  if (app.pausedOperations.includes(operation.id)) return 'free';
  await app.throttle.admitUnpaid();
  const challengeRequest: ChallengeRequest = {
    path: queryAt < 0 ? url : url.slice(0, queryAt),
    query,
    // Hashed for the challenge, up to the operation's limit.
    body: () => readBytes(new NodeApiRequest(req, res), operation.bodyBytesMax),
  };
  const answer = await app.payments.rails[rail].challenge(operation, challengeRequest, null);
  const headers = {
    ...answer.headers,
    ...testHeaders(app.settings),
    'Request-Id': requestId,
    'Content-Length': Buffer.byteLength(answer.body).toString(),
  };
  // Node writes a list as it is, if no header was set before. That takes half as long as to merge objects.
  res.writeHead(answer.status, [...constantHeaders, ...Object.entries(headers).flat()]);
  res.end(answer.body);
  countChallenge(app, { operation: operation.id, rail }, answer.status);
  return 'answered';
}

const largeBytes = 64 * 1024;

/**
 * Counts a request as a free call.
 * @param announces whether its response says what is left of the limit, even if it is not refused
 * @returns the refusal when the limit is used up; null when the call may continue
 */
export async function limitCall(
  app: ServedApp,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  announces: boolean,
): Promise<ApiError | null> {
  const call: LimitedCall = {
    method: req.method ?? '',
    path,
    address: addressOf(app, req),
    header: (name) => req.headers[name]?.toString(),
  };
  const { headers, refusal } = await countCall(app, call);
  if (announces || refusal) for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (refusal) {
    for (const [name, value] of Object.entries(apiHeaders)) res.setHeader(name, value);
    await app.throttle.admitUnpaid();
    return refusal;
  }
  const sentBefore = req.socket.bytesWritten;
  res.once('finish', () => {
    const bytes = req.socket.bytesWritten - sentBefore;
    // A large response counts like a large body.
    app.rateLimits
      .noteBytes(call.address, bytes)
      .catch((error: unknown) =>
        app.problems.reportRequest('warn', { cause: error }, 'a free call was not counted'),
      );
  });
  return null;
}

/**
 * Resolves when work for a request that does not pay may begin: after paid requests, and in turn by client address.
 * @returns false when too many wait
 */
export function waitForAdmission(
  app: ServedApp,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<boolean> {
  const closing = new Promise<void>((resolve) => whenOver(req, res, resolve));
  return app.throttle.admitCall([clientNetwork(addressOf(app, req))], closing);
}

/** The client's address, as our listener determined it. */
export function addressOf(
  { clientAddressHeader }: Pick<ServedApp, 'clientAddressHeader'>,
  { headers }: IncomingMessage,
): string {
  return String(headers[clientAddressHeader] ?? '');
}

/**
 * Whether a request that is refused announced a body too large to be read only to be dropped. The connection is closed
 * instead.
 */
export function isTooLargeToDrop({ headers, complete }: IncomingMessage): boolean {
  return !complete && bytesOf({ header: (name) => headers[name]?.toString() }) > largeBytes;
}
