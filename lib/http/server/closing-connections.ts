import type { Server, ServerResponse } from 'node:http';
import net from 'node:net';

/**
 * Ends the connections of a server without losing a request that a proxy has already sent on one of them. Every response from
 * then on tells its client to close the connection. Those that carry no request stay open a while, because a proxy that does
 * not know yet may be sending one at this moment, and would have to answer 502.
 */
export class ClosingConnections {
  readonly #server: Server;
  readonly #open = new Set<ServerResponse>();
  #isClosing = false;

  constructor(server: Server) {
    this.#server = server;
    for (const event of ['request', 'checkContinue'])
      server.prependListener(event, (_, res: ServerResponse) => this.#track(res));
  }

  /** Accepts no more connections. @returns when the last one is closed, which takes requests or `Server.closeIdleConnections` */
  close(): Promise<void> {
    this.#isClosing = true;
    for (const res of this.#open) endConnectionAfter(res);
    // That of an HTTP server would close connections without a request at once.
    return new Promise((resolve) => net.Server.prototype.close.call(this.#server, () => resolve()));
  }

  #track(res: ServerResponse): void {
    if (this.#isClosing) endConnectionAfter(res);
    this.#open.add(res);
    res.once('close', () => this.#open.delete(res));
  }
}

function endConnectionAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}
