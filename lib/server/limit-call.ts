import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientNetwork } from '@/lib/addresses/client-network';
import type { App } from '@/lib/app';
import { ApiError } from '@/lib/errors/api-error';
import apiHeaders from '@/lib/http/api-headers.json';
import { bytesOf, countCall, type LimitedCall, limitsOf, noteCall } from '@/lib/http/call-limits';
import { clientAddressHeader } from '@/lib/http/client-address';

const largeBytes = 64 * 1024;

/**
 * Applies rate limits to free calls and account tokens before Next is reached, and throttles them while paid requests
 * are under way.
 * @returns the refusal; null when the call may continue
 */
export async function limitCall(
  app: App,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
): Promise<ApiError | null> {
  const address = String(req.headers[clientAddressHeader] ?? '');
  const call: LimitedCall = {
    method: req.method ?? '',
    path,
    address,
    header: (name) => req.headers[name]?.toString(),
  };
  const limits = limitsOf(call);
  if (!limits) return null;
  const owners = [clientNetwork(address)];
  const { headers, refusal } = await countCall(app, call, limits);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (refusal) {
    for (const [name, value] of Object.entries(apiHeaders)) res.setHeader(name, value);
    await (isLarge(call) ? app.throttle.callTurn(owners, closing(res)) : app.throttle.unpaidTurn());
    return refusal;
  }
  const sentBefore = req.socket.bytesWritten;
  res.once('finish', () => {
    const bytes = req.socket.bytesWritten - sentBefore;
    void noteCall(app, call, limits, { status: res.statusCode, bytes });
  });
  if (!limits.isFree || (await app.throttle.callTurn(owners, closing(res)))) return null;
  return new ApiError('service_unavailable', { retryAfterSeconds: 2 });
}

/** The body of a refused request must still be read, or its sender would not read the response. */
function isLarge(call: LimitedCall): boolean {
  return bytesOf(call) > largeBytes;
}

function closing(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => res.once('close', resolve));
}
