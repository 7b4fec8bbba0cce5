import { randomBytes } from 'node:crypto';
import { isApiError } from '@/lib/errors/api-error';
import type { HttpApp } from '@/lib/http/app';
import { describeError } from '@/lib/platform/log';
import { clientAddressOf } from './client-address';
import { requestIdOf } from './respond';

/** What a page may look at. */
export interface PageRequest {
  readonly request: Request;
  readonly params: Readonly<Record<string, string | string[] | undefined>>;
  /** For the page's own script: nothing else may run. */
  readonly nonce: string;
  /** Where the request comes from. */
  readonly address: string;
}

/** What a page answers: HTML, or JSON to its own script. */
export interface PageAnswer {
  readonly status: number;
  readonly html?: string;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Work = (asked: PageRequest) => Promise<PageAnswer>;
type Context = { params: Promise<PageRequest['params'] | undefined> };

/**
 * A page that people see, with the headers that keep everything out that is not the page's own.
 * @param failed what is shown when the page could not be made, with the status that says why
 */
export function pageRoute(
  app: () => HttpApp,
  work: Work,
  failed: (asked: PageRequest, status: number) => Promise<PageAnswer>,
) {
  return async (request: Request, context: Context): Promise<Response> => {
    const requestId = requestIdOf(request);
    const asked: PageRequest = {
      request,
      params: (await context.params) ?? {},
      nonce: randomBytes(16).toString('base64'),
      address: clientAddressOf(app(), request),
    };
    const answer = await work(asked).catch((error: unknown) => {
      const status = isApiError(error) ? error.status : 500;
      if (status >= 500)
        app().log.error({ requestId, error: describeError(error) }, 'a page could not be shown');
      return failed(asked, status);
    });
    return respond(answer, asked.nonce, requestId);
  };
}

function respond(answer: PageAnswer, nonce: string, requestId: string): Response {
  const isHtml = answer.html !== undefined;
  const text = answer.html ?? (answer.json === undefined ? '' : JSON.stringify(answer.json));
  return new Response(text, {
    status: answer.status,
    headers: {
      'Content-Type': isHtml ? 'text/html; charset=utf-8' : 'application/json',
      // Kept by nobody but the reader's own history, so that going back finds what was typed.
      'Cache-Control': 'private, no-cache',
      Vary: 'Accept, Accept-Language',
      ...pageGuards(`'nonce-${nonce}'`),
      'X-Robots-Tag': 'noindex, nofollow',
      ...answer.headers,
      'Request-Id': requestId,
    },
  });
}

/**
 * No third party, no frame, no plugin, no script but the page's own. `same-origin` keeps posts' Origin header.
 * @param scripts the source of the page's own script, as Content-Security-Policy has it
 */
export function pageGuards(scripts: string): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `script-src ${scripts}`,
      "style-src 'self'",
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
