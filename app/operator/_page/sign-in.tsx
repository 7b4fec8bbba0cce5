import type { ReactNode } from 'react';
import { renderPage } from '@/app/_page/render';
import { currentApp } from '@/lib/app/current';
import { recordAction } from '@/lib/db/operator-actions';
import { pageAssets } from '@/lib/http/page-assets';
import type { PageAnswer, PageRequest } from '@/lib/http/page-route';
import {
  endSession,
  findSession,
  formTokenOf,
  isOwnForm,
  newSessionKey,
  startSession,
} from '@/lib/operator/console/session';
import { newId } from '@/lib/platform/ids';
import { consoleAction, consoleRoute, readForm, refuseForm, seeOther } from './console-route';
import { FormToken, Page } from './document';
import { sessionCookie, sessionKeyOf } from './session-cookie';
import { Summary } from './summary';

/** Serves the sign-in page, and signing in and out. */

/** `GET /operator/login` */
export const showSignIn = consoleRoute(async ({ request }) => {
  const next = nextOf(new URL(request.url).searchParams);
  const known = sessionKeyOf(currentApp(), request);
  if (known !== null && (await findSession(currentApp(), known)) !== null) return seeOther(next);
  // The form is bound to this browser before there is a session.
  const key = known ?? newSessionKey();
  return withCookie(await signInPage(200, key, next), key);
});

/** `POST /operator/login`: wrong tokens are counted by address together with those of accounts. */
export const signIn = consoleRoute(async (asked) => {
  const app = currentApp();
  const fields = await readForm(asked.request);
  const formKey = sessionKeyOf(app, asked.request);
  if (formKey === null || !isOwnForm(app, formKey, fields.get('form') ?? '')) return refuseForm();
  const [given, next] = [(fields.get('token') ?? '').trim(), nextOf(fields)];
  const { refusal } = await app.rateLimits.checkToken(asked.address, given);
  if (refusal) {
    const seconds = refusal.retryAfterSeconds ?? 60;
    const text = `Too many wrong tokens came from your address. Try again in ${seconds} seconds.`;
    return { ...(await signInPage(429, formKey, next, text)), headers: { 'Retry-After': String(seconds) } };
  }
  const session = await startSession(app, given);
  await app.rateLimits.noteToken(asked.address, given, session ? 200 : 403);
  if (!session) {
    app.log.warn({ address: asked.address }, 'a wrong token was entered at the console');
    return signInPage(403, formKey, next, 'This is not the token. It is OPERATOR_TOKEN in the settings.');
  }
  await record(session.name, asked, 'console.sign_in');
  return withCookie(seeOther(next), session.key);
});

/** `POST /operator/logout` */
export const signOut = consoleAction(async (action) => {
  await endSession(currentApp(), action.sessionKey);
  await record(action.operator.name, action, 'console.sign_out');
  return withCookie(seeOther('/operator/login'), newSessionKey());
});

function record(name: string, { address }: PageRequest, action: 'console.sign_in' | 'console.sign_out') {
  return recordAction(currentApp(), { actor: { name, address }, action, correlationId: newId('op') });
}

function withCookie(answer: PageAnswer, key: string): PageAnswer {
  return { ...answer, headers: { ...answer.headers, 'Set-Cookie': sessionCookie(currentApp(), key) } };
}

/** Where to go afterwards: only to the console itself. */
function nextOf(fields: URLSearchParams): string {
  const next = fields.get('next') ?? '';
  return /^\/operator(?=$|[/?])(?!\/log(in|out))[\x21-\x7e]*$/.test(next) ? next : '/operator';
}

async function signInPage(status: number, key: string, next: string, problem?: string): Promise<PageAnswer> {
  const assets = await pageAssets('operator');
  const page = (
    <Page assets={assets} title="Sign in" path={null} formToken={null}>
      <SignIn formToken={formTokenOf(currentApp(), key)} next={next} problem={problem} />
    </Page>
  );
  return { status, html: await renderPage(page) };
}

function SignIn({
  formToken,
  next,
  problem,
}: {
  formToken: string;
  next: string;
  problem: string | undefined;
}): ReactNode {
  return (
    <div className="narrow">
      <h1>Sign in</h1>
      {problem === undefined ? null : <Summary title="You are not signed in" text={problem} field="token" />}
      <form method="post" action="/operator/login">
        <FormToken value={formToken} />
        <input type="hidden" name="next" value={next} />
        <div className="field">
          <label htmlFor="token">Operator token</label>
          <p className="hint" id="token-hint">
            The value of OPERATOR_TOKEN. You are signed out after half an hour without a request, and after
            twelve hours.
          </p>
          <input
            id="token"
            name="token"
            type="password"
            autoComplete="current-password"
            required
            aria-describedby="token-hint"
            aria-invalid={problem === undefined ? undefined : true}
          />
        </div>
        <button type="submit">Sign in</button>
      </form>
    </div>
  );
}
