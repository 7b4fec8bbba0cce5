import { readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import compression from 'compression';
import sirv from 'sirv';

// The types of the package are those of express; it uses nothing that node:http does not have.
type Middleware = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/**
 * What the framework leaves to a proxy or a platform in front of it, done here so that pages are small without one:
 * pages are compressed on their way, files named by their content were compressed when they were built.
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

  /** Has an answer compressed that is about to be made. */
  compressPage(req: IncomingMessage, res: ServerResponse): void {
    this.#compress(req, res, () => undefined);
  }

  /** Answers a request for a file named by its content; leaves every other request to `next`. */
  serve(req: IncomingMessage, res: ServerResponse, next: () => Promise<void>): Promise<void> | void {
    const isReading = req.method === 'GET' || req.method === 'HEAD';
    if (!isReading || !/^\/(f|deposit|site)\/assets\//.test(req.url ?? '')) return next();
    return new Promise((resolve, reject) => {
      res.once('close', resolve);
      this.#serve(req, res, () => next().then(resolve, reject));
    });
  }

  /** Whether a path is a file, which the framework serves or we do: it takes nothing but GET and HEAD. */
  isFile(path: string): boolean {
    return this.#named.has(path) || /^\/(_next|(f|deposit|site)\/assets)\//.test(path);
  }
}

function guard(res: ServerResponse): void {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
}
