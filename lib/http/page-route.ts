import { randomBytes } from 'node:crypto';
import { isApiError } from '@/lib/catalog/errors/api-error';
import { testHeaders } from '@/lib/catalog/test-service';
import type { Platform } from '@/lib/platform/platform';
import { clientAddressOf } from './client-address';
import { requestIdOf } from './respond';

interface PageRouteDeps extends Pick<Platform, 'settings' | 'problems'> {
  readonly clientAddressHeader: string;
}

/** What a page's handler gets. */
export interface PageRequest {
  readonly request: Request;
  readonly params: Readonly<Record<string, string | string[] | undefined>>;
  /** Content-Security-Policy nonce for the page's own script. No other script runs. */
  readonly nonce: string;
  /** The client's address. */
  readonly address: string;
  /** For pages that say that something failed. */
  readonly requestId: string;
}

/** A page's response: HTML, the same as Markdown, JSON for its own script, or a file to save. */
export interface PageAnswer {
  readonly status: number;
  readonly html?: string;
  readonly markdown?: string;
  readonly json?: unknown;
  readonly file?: {
    readonly name: string;
    /** `application/octet-stream` unless given. */
    readonly type?: string;
    readonly content: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;
  };
  readonly headers?: Readonly<Record<string, string>>;
}

/** For pages that search engines may list. All others are only for people who have the link. */
export const listed = { 'X-Robots-Tag': 'all' } as const;

type Work = (context: PageRequest) => Promise<PageAnswer>;
type Context = { params: Promise<PageRequest['params'] | undefined> };

/**
 * A route that serves a page, with headers that block everything from other origins.
 * @param failed makes the error page; gets the status
 */
export function pageRoute(
  app: () => PageRouteDeps,
  work: Work,
  failed: (context: PageRequest, status: number) => Promise<PageAnswer>,
) {
  return async (request: Request, route: Context): Promise<Response> => {
    const requestId = requestIdOf(request);
    const context: PageRequest = {
      request,
      params: (await route.params) ?? {},
      nonce: randomBytes(16).toString('base64'),
      address: clientAddressOf(app(), request),
      requestId,
    };
    const answer = await work(context).catch((error: unknown) => {
      const status = isApiError(error) ? error.status : 500;
      if (status >= 500)
        app().problems.reportRequest('error', { requestId, cause: error }, 'a page could not be shown');
      return failed(context, status);
    });
    return respond(answer, context.nonce, { ...testHeaders(app().settings), 'Request-Id': requestId });
  };
}

function respond(answer: PageAnswer, nonce: string, always: Readonly<Record<string, string>>): Response {
  const { status, file } = answer;
  const { type, text } = textOf(answer);
  return new Response(file?.content ?? text, {
    status,
    headers: {
      'Content-Type': file ? (file.type ?? 'application/octet-stream') : type,
      // Browsers save the file and do not display it.
      ...(file ? { 'Content-Disposition': `attachment; filename="${file.name}"` } : {}),
      // Only the browser's own history may cache it, so that going back keeps what was typed.
      'Cache-Control': 'private, no-cache',
      Vary: 'Accept, Accept-Language',
      ...pageGuards(`'nonce-${nonce}'`),
      'X-Robots-Tag': 'noindex, nofollow',
      ...answer.headers,
      ...always,
    },
  });
}

function textOf({ html, markdown, json }: PageAnswer): { type: string; text: string } {
  if (html !== undefined) return { type: 'text/html; charset=utf-8', text: html };
  if (markdown !== undefined) return { type: 'text/markdown; charset=utf-8', text: markdown };
  return { type: 'application/json', text: json === undefined ? '' : JSON.stringify(json) };
}

/**
 * No third parties, frames or plugins, and no scripts but the page's own. `same-origin` keeps the Origin header of form
 * posts.
 * @param scripts the Content-Security-Policy source of the page's own script
 */
export function pageGuards(scripts: string): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src ${scripts}`,
      "style-src 'self'",
      "font-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}
