import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientNetwork } from '@/lib/addresses/client-network';
import type { App } from '@/lib/app';
import { usualBodyBytesMax } from '@/lib/http/body';
import { bytesOf } from '@/lib/http/call-limits';
import { bodyBytesMax } from '@/lib/mcp/limits';
import { addressOf } from './front-door';

/** What the requests of one client that are under way may hold: ten bodies of the largest size. */
const clientBytesMax = 10 * bodyBytesMax;

/**
 * Limits the memory for bodies of one client. Bodies are kept until they are complete, and a client may take minutes to send
 * one, so a limit of requests in a span of time does not bound them. Small bodies are not counted.
 */
export class HeldBodies {
  readonly #app: Pick<App, 'clientAddressHeader'>;
  readonly #held = new Map<string, number>();

  constructor(app: Pick<App, 'clientAddressHeader'>) {
    this.#app = app;
  }

  /**
   * Counts the body of a request until its response is sent or its connection closed.
   * @returns false when the client has no room left; nothing is counted then
   */
  hold(req: IncomingMessage, res: ServerResponse): boolean {
    // A larger body is refused before it is read.
    const bytes = Math.min(bytesOf({ header: (name) => req.headers[name]?.toString() }), bodyBytesMax);
    if (bytes <= usualBodyBytesMax) return true;
    const client = clientNetwork(addressOf(this.#app, req));
    const held = this.#held.get(client) ?? 0;
    if (held + bytes > clientBytesMax) return false;
    this.#held.set(client, held + bytes);
    res.once('close', () => this.#release(client, bytes));
    return true;
  }

  #release(client: string, bytes: number): void {
    const left = (this.#held.get(client) ?? 0) - bytes;
    if (left > 0) this.#held.set(client, left);
    else this.#held.delete(client);
  }
}
