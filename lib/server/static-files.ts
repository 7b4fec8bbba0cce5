import { readdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import compression from 'compression';
import sirv from 'sirv';
import { processWide } from '@/lib/platform/process-wide';

/**
 * What the framework leaves to a proxy or a platform in front of it, done here so that pages are small without one:
 * pages are compressed on their way, files named by their content were compressed when they were built.
 */

// The types of the package are those of express; it uses nothing that node:http does not have.
type Middleware = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** Has an answer compressed that is about to be made. */
export function compressPage(req: IncomingMessage, res: ServerResponse): void {
  const compress = processWide('compression', () => compression() as unknown as Middleware);
  compress(req, res, () => undefined);
}

/** Answers a request for a file named by its content; leaves every other request to `next`. */
export function serveStaticFile(
  req: IncomingMessage,
  res: ServerResponse,
  next: () => Promise<void>,
): Promise<void> | void {
  if (!/^\/(f|deposit|site)\/assets\//.test(req.url ?? '') || (req.method !== 'GET' && req.method !== 'HEAD'))
    return next();
  const serve = processWide('page-assets', () =>
    sirv('public', { brotli: true, gzip: true, immutable: true, maxAge: 31_536_000, setHeaders: guard }),
  );
  return new Promise((resolve, reject) => {
    res.once('close', resolve);
    serve(req, res, () => next().then(resolve, reject));
  });
}

/** Whether a path is a file, which the framework serves or we do: it takes nothing but GET and HEAD. */
export function isStaticFile(path: string): boolean {
  const named = processWide('public-files', () => new Set(readdirSync('public').map((name) => `/${name}`)));
  return named.has(path) || /^\/(_next|(f|deposit|site)\/assets)\//.test(path);
}

function guard(res: ServerResponse): void {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
}
