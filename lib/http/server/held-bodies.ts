import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyBytesMax } from '@/lib/discovery/mcp/mcp-limits';
import { bytesOf, usualBodyBytesMax } from '@/lib/http/body';
import { whenOver } from '@/lib/http/request-over';
import { clientNetwork } from '@/lib/platform/addresses/client-network';
import { addressOf } from './front-door';

/** How many bytes of bodies one client's open requests may hold: ten bodies of the largest size. */
const clientBytesMax = 10 * bodyBytesMax;

/**
 * Limits the memory for one client's bodies. Bodies are kept until they are complete, and a client may take minutes to
 * send one, so a rate limit does not bound them. Small bodies are not counted.
 */
export class HeldBodies {
  readonly #app: { readonly clientAddressHeader: string };
  readonly #held = new Map<string, number>();

  constructor(app: { readonly clientAddressHeader: string }) {
    this.#app = app;
  }

  /**
   * Counts the body of a request until its response is sent or its connection closed.
   * @param keptMax the most bytes of the body in memory at a time
   * @returns false when the client has no room left; nothing is counted then
   */
  hold(req: IncomingMessage, res: ServerResponse, keptMax = bodyBytesMax): boolean {
    const bytes = Math.min(mostBytesOf(req), keptMax);
    if (bytes <= usualBodyBytesMax) return true;
    const client = clientNetwork(addressOf(this.#app, req));
    const held = this.#held.get(client) ?? 0;
    if (held + bytes > clientBytesMax) return false;
    this.#held.set(client, held + bytes);
    whenOver(req, res, () => this.#release(client, bytes));
    return true;
  }

  #release(client: string, bytes: number): void {
    const left = (this.#held.get(client) ?? 0) - bytes;
    if (left > 0) this.#held.set(client, left);
    else this.#held.delete(client);
  }
}

/** The most bytes kept of a body. One that announces more is refused before it is read; one without a length may have any. */
function mostBytesOf({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return bodyBytesMax;
  return Math.min(bytesOf({ header: (name) => headers[name]?.toString() }), bodyBytesMax);
}
