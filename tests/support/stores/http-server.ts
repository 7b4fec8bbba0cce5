import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Request {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** A local HTTP server that answers each whole request with what `answer` returns. */
export async function startHttpServer(answer: (request: Request) => Answer | Promise<Answer>) {
  const server = createServer(async (req: IncomingMessage, res: ServerResponse) => {
    try {
      const target = req.url ?? '/';
      const url = new URL(target, `http://${req.headers.host}`);
      const body = await buffer(req);
      const given = await answer({ method: req.method ?? '', target, url, headers: req.headers, body });
      res.writeHead(given.status, given.headers);
      res.end(req.method === 'HEAD' ? undefined : given.body);
    } catch {
      // After an interrupted body there is nobody to respond to.
      res.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
