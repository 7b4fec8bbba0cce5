import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App } from '@/lib/app';
import { operations } from '@/lib/catalog';
import type { Operation, RailName } from '@/lib/catalog/operation';
import apiHeaders from '@/lib/http/api-headers.json';
import { usualBodyBytesMax } from '@/lib/http/body';
import type { ChallengeRequest } from '@/lib/payments/rail';
import { isAvailable } from '@/lib/upstream/availability';

/** A priced route: what is sold there, and how it is paid. */
interface PricedRoute {
  readonly operation: Operation;
  readonly rail: RailName;
  readonly method: string;
  readonly path: RegExp;
}

const routes: readonly PricedRoute[] = operations.flatMap((operation) =>
  Object.entries(operation.paths).map(([rail, path]) => ({
    operation,
    rail: rail as RailName,
    method: operation.method,
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  })),
);
const byExactPath = new Map(
  routes.map((route) => [`${route.method} ${route.path.source.slice(1, -1)}`, route]),
);

/**
 * Answers an unpaid request to a priced route before the framework is reached, whose share of such an answer is some
 * fifty times our own. Everything else is left to the routes, which answer unpaid requests with the same function.
 * @returns whether the request was answered
 */
export async function answerUnpaid(
  app: App,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
): Promise<boolean> {
  const { method = '', url = '' } = req;
  if (method !== 'POST' && method !== 'DELETE' && method !== 'GET') return false;
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  const route =
    byExactPath.get(`${method} ${path}`) ??
    routes.find((one) => one.method === method && one.path.test(path));
  if (!route) return false;
  if (hasCredential(req)) {
    app.throttle.countAsPaying(req, res);
    return false;
  }
  // What costs as much as the body says, and what is paid in advance, is asked for by the route.
  if (route.operation.variablePrice || route.rail === 'account') return false;
  if (app.payments.networks.offered().length === 0 || !isAvailable(app, route.operation)) return false;
  await app.throttle.unpaidTurn();
  const challengeRequest: ChallengeRequest = {
    path,
    query: new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1)),
    body: () => readBody(req, route.operation.bodyBytesMax ?? usualBodyBytesMax),
  };
  const answer = await app.payments.rails[route.rail].challenge(route.operation, challengeRequest, null);
  res.writeHead(answer.status, {
    ...apiHeaders,
    ...answer.headers,
    'Request-Id': requestId,
    'Content-Length': Buffer.byteLength(answer.body),
  });
  res.end(answer.body);
  return true;
}

/** Any payment header, of any rail and however broken, is for the route to read. */
function hasCredential({ headers }: IncomingMessage): boolean {
  return (
    headers['payment-signature'] !== undefined ||
    headers['x-payment'] !== undefined ||
    headers.authorization !== undefined
  );
}

/** A body that comes with an unpaid request is hashed for the challenge, as far as the operation takes one. */
async function readBody(req: IncomingMessage, bodyBytesMax: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req) {
    // No encoding is set on the request, so chunks are buffers.
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > bodyBytesMax) throw new Error('the body is too large to be bound to a challenge');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
