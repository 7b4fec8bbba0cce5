import type { ReactNode } from 'react';
import { renderPage } from '@/app/_page/render';
import { currentApp } from '@/lib/app/current';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { readBytes } from '@/lib/http/body';
import { pageAssets } from '@/lib/http/page-assets';
import { type PageAnswer, type PageRequest, pageRoute } from '@/lib/http/page-route';
import type { Operator } from '@/lib/operator/actions';
import { findSession, formTokenOf, isOwnForm } from '@/lib/operator/console/console-session';
import {
  type ConsoleOperator,
  consoleOperators,
  includesRole,
  type OperatorRole,
} from '@/lib/platform/console-operators';
import { Page } from './document';
import { SearchForm } from './search-form';
import { isFromOurPage, keyIn } from './session-cookie';

/** What the handler of a console page gets. */
export interface ConsoleRequest extends PageRequest {
  readonly url: URL;
  /** The `{id}` in the path; empty if there is none. */
  readonly id: string;
  /** The key of the browser's session. */
  readonly sessionKey: string;
  /** What the console's own forms send, so that no other site can send them. */
  readonly formToken: string;
  /** Who is signed in, for the log of actions. */
  readonly operator: Operator;
  readonly signedIn: ConsoleOperator;
}

/** Whether the person who is signed in may do what needs this role. */
export function may({ signedIn }: Pick<ConsoleRequest, 'signedIn'>, role: OperatorRole): boolean {
  return includesRole(signedIn.role, role);
}

/** A post of one of the console's own forms by someone who is signed in. */
export interface ConsoleAction extends ConsoleRequest {
  readonly fields: URLSearchParams;
}

type Route = (request: Request, context: Parameters<ReturnType<typeof pageRoute>>[1]) => Promise<Response>;

const postBytesMax = 16_384;

/**
 * A page of the console. Without a session it redirects to the sign-in page.
 * @param role who may see it
 */
export function consolePage(
  work: (context: ConsoleRequest) => Promise<PageAnswer>,
  role: OperatorRole = 'read',
): Route {
  return consoleRoute(async (context) => {
    const signedIn = await findOperator(context);
    if (!signedIn) return seeOther(signInPath(new URL(context.request.url)));
    return may(signedIn, role) ? work(signedIn) : refuseRole(signedIn, role);
  });
}

/**
 * A post to the console. Nothing is done without a session, from another site, by a form that the console did not make for this
 * session, or for someone without the role.
 */
export function consoleAction(
  role: OperatorRole,
  work: (action: ConsoleAction) => Promise<PageAnswer>,
): Route {
  return consoleRoute(async (context) => {
    const fields = await readForm(context.request);
    const signedIn = await findOperator(context);
    if (!signedIn) {
      const text = 'Your session has ended, and nothing was done. Sign in and try again.';
      return messagePage(403, 'Sign in again', text);
    }
    if (!isOwnForm(currentApp(), signedIn.sessionKey, fields.get('form') ?? '')) return refuseForm();
    return may(signedIn, role) ? work({ ...signedIn, fields }) : refuseRole(signedIn, role);
  });
}

/** A route of the console. It does not exist if nobody may sign in, nor on the files host. */
export function consoleRoute(work: (context: PageRequest) => Promise<PageAnswer>): Route {
  const serve = pageRoute(
    currentApp,
    async (context) => {
      if (context.request.method === 'POST' && !isFromOurPage(currentApp(), context.request)) {
        return unstored(await refuseForm());
      }
      return unstored(await work(context));
    },
    async (_, status) => unstored(await failedPage(status)),
  );
  return async (request, route) => {
    const { settings } = currentApp();
    const isFilesHost = request.headers.get('host') === new URL(settings.FILES_URL).host;
    if (consoleOperators(settings).length > 0 && !isFilesHost) return serve(request, route);
    const { serveConstant } = await import('@/app/_site/constant');
    return serveConstant(request);
  };
}

/** No copy of a page is kept, not even for going back. */
function unstored(answer: PageAnswer): PageAnswer {
  return { ...answer, headers: { 'Cache-Control': 'private, no-store', ...answer.headers } };
}

function failedPage(status: number): Promise<PageAnswer> {
  return status < 500
    ? messagePage(status, 'This request is not valid', 'Nothing was done.')
    : messagePage(status, 'Something went wrong', 'The log has the error. Nothing was done by this page.');
}

async function findOperator(context: PageRequest): Promise<ConsoleRequest | null> {
  const sessionKey = keyIn(currentApp(), 'operator', context.request);
  const session = sessionKey === null ? null : await findSession(currentApp(), sessionKey);
  if (sessionKey === null || session === null) return null;
  return {
    ...context,
    url: new URL(context.request.url),
    id: String(context.params.id ?? ''),
    sessionKey,
    formToken: formTokenOf(currentApp(), sessionKey),
    operator: { name: session.actor, address: context.address },
    signedIn: session.operator,
  };
}

/**
 * The fields of a posted form.
 * @throws ApiError malformed_request (400), body_too_large (413)
 */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) throw new ApiError('malformed_request');
  return new URLSearchParams(Buffer.from(await readBytes(request, postBytesMax)).toString('utf8'));
}

/** The answer to a post that may come from another site. */
export function refuseForm(): Promise<PageAnswer> {
  const { origin } = new URL(currentApp().settings.PUBLIC_URL);
  return messagePage(
    403,
    'This form was not accepted',
    `It did not come from this console, or is too old. Nothing was done. Open the console at ${origin}/operator and try again.`,
  );
}

/** The answer to someone who may not see a page, or do something. */
function refuseRole(context: ConsoleRequest, role: OperatorRole): Promise<PageAnswer> {
  const body = (
    <>
      <h1>You may not do this</h1>
      <p>
        It needs the role <strong>{role}</strong>, and yours is <strong>{context.signedIn.role}</strong>.
        Nothing was done. The setting OPERATORS gives roles.
      </p>
    </>
  );
  return showPage(context, 'You may not do this', body, 403);
}

/** Shows another page after a post. */
export function seeOther(path: string): PageAnswer {
  return { status: 303, headers: { Location: path } };
}

function signInPath({ pathname, search }: URL): string {
  return `/operator/login?${new URLSearchParams({ next: pathname + search })}`;
}

/** What the frame of a page shows. */
type PageOf = Pick<ConsoleRequest, 'url' | 'formToken' | 'signedIn' | 'nonce'>;

/** A form that was not accepted comes back with one of these. */
const isOfRefusedForm = (status: number) => status === 400 || status === 409;

/** Renders a page with the navigation of the console. */
export async function showPage(
  { url, formToken, signedIn, nonce }: PageOf,
  title: string,
  body: ReactNode,
  status = 200,
): Promise<PageAnswer> {
  const session = { path: url.pathname, formToken, signedIn };
  const shownTitle = isOfRefusedForm(status) ? `Error: ${title}` : title;
  const frame = { assets: await pageAssets('operator'), title: shownTitle, session, nonce };
  return { status, html: await renderPage(<Page {...frame}>{body}</Page>) };
}

/** `GET` of a path below /operator that has no page. */
export const showMissing = consolePage((context) =>
  showPage(
    context,
    'Page not found',
    <>
      <h1>Page not found</h1>
      <p>The console has no page at this address. Choose a section above, or look for a call:</p>
      <SearchForm />
    </>,
    404,
  ),
);

/** A page with only a message, without navigation. */
async function messagePage(status: number, title: string, text: string): Promise<PageAnswer> {
  const page = (
    <Page assets={await pageAssets('operator')} title={title} session={null}>
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href="/operator">Open the console</a>
      </p>
    </Page>
  );
  return { status, html: await renderPage(page) };
}
