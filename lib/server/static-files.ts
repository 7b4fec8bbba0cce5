import { readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import compression from 'compression';
import sirv from 'sirv';

// The package has express's types, but uses only what node:http has.
type Middleware = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/**
 * Compresses pages and serves built files, which Next leaves to a proxy. Built files are named by a hash and were
 * compressed by the build.
 */
export class StaticFiles {
  readonly #compress = compression() as unknown as Middleware;
  readonly #serve = sirv('public', {
    brotli: true,
    gzip: true,
    immutable: true,
    maxAge: 31_536_000,
    setHeaders: guard,
  });
  readonly #named = new Set(readdirSync('public').map((name) => `/${name}`));

  /** Compresses the response to this request. */
  compressPage(req: IncomingMessage, res: ServerResponse): void {
    this.#compress(req, res, () => undefined);
  }

  /** Serves a built file. All other requests go to `next`. */
  serve(req: IncomingMessage, res: ServerResponse, next: () => Promise<void>): Promise<void> | void {
    const isReading = req.method === 'GET' || req.method === 'HEAD';
    if (!isReading || !/^\/(f|deposit|site)\/assets\//.test(req.url ?? '')) return next();
    return new Promise((resolve, reject) => {
      res.once('close', resolve);
      this.#serve(req, res, () => next().then(resolve, reject));
    });
  }

  /** Whether a path is a static file, which supports only GET and HEAD. */
  isFile(path: string): boolean {
    return this.#named.has(path) || /^\/(_next|(f|deposit|site)\/assets)\//.test(path);
  }
}

function guard(res: ServerResponse): void {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
}
