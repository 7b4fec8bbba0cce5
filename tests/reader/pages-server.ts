import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ServedPage {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Writes the response itself, instead of `status`, `headers` and `body`. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A site that serves pages by path. Queries are ignored. */
export interface Site {
  readonly port: number;
  readonly asked: () => readonly string[];
  close(): Promise<void>;
}

export async function startSite(pages: (path: string) => ServedPage | undefined): Promise<Site> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    asked.push(path);
    const page = pages(path);
    if (!page) {
      response.writeHead(404, { 'Content-Type': 'text/html' }).end('<title>Nothing here</title>');
      return;
    }
    if (page.answer) {
      page.answer(request, response);
      return;
    }
    response.writeHead(page.status ?? 200, { 'Content-Type': 'text/html; charset=utf-8', ...page.headers });
    response.end(page.body ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked: () => asked,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
