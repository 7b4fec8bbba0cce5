import { readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import compression from 'compression';
import sirv from 'sirv';

/**
 * Compresses pages and serves the files of `public`, which Next leaves to a proxy or reads for every request. Built
 * files are named by a hash and were compressed by the build.
 */
export class StaticFiles {
  readonly #compress = compression();
  readonly #serve = sirv('public', {
    brotli: true,
    etag: true,
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

  /** Whether a path is reserved for a file in `public`, even if there is no such file. */
  isPublic(path: string): boolean {
    return isBuilt(path) || this.#named.has(path);
  }

  /**
   * Answers a GET or HEAD of a file in `public`.
   * @returns whether there is one
   */
  async serve(req: IncomingMessage, res: ServerResponse, path: string): Promise<boolean> {
    if (!this.isPublic(path)) return false;
    return new Promise((resolve) => {
      res.once('close', () => resolve(true));
      this.#serve(req, res, () => resolve(false));
    });
  }

  /** Whether a path is a static file, which supports only GET and HEAD. */
  isFile(path: string): boolean {
    return this.isPublic(path) || path.startsWith('/_next/');
  }
}

function isBuilt(path: string): boolean {
  return /^\/(f|deposit|operator|site)\/assets\//.test(path);
}

function guard(res: ServerResponse, path: string): void {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  if (!isBuilt(path)) res.setHeader('Cache-Control', 'public, max-age=0');
  // The library does not know this type.
  if (path.endsWith('.ico')) res.setHeader('Content-Type', 'image/x-icon');
}
