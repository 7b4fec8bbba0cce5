import type { ReactNode } from 'react';
import { describing, Field } from '@/app/_page/field';
import { renderPage } from '@/app/_page/render';
import { currentApp } from '@/lib/app/current';
import { pageAssets } from '@/lib/http/page-assets';
import type { PageAnswer, PageRequest } from '@/lib/http/page-route';
import { recordAction } from '@/lib/operator/actions';
import {
  endSession,
  findSession,
  formTokenOf,
  isOwnForm,
  newSessionKey,
  startSession,
} from '@/lib/operator/console/console-session';
import { consoleOperators } from '@/lib/platform/console-operators';
import { newId } from '@/lib/platform/ids';
import { consoleAction, consoleRoute, readForm, refuseForm, seeOther } from './console-route';
import { FormToken, Page } from './document';
import { keyCookie, keyIn } from './session-cookie';
import { Summary } from './summary';

/** Serves the sign-in page, and signing in and out. */

/** `GET /operator/login` */
export const showSignIn = consoleRoute(async ({ request }) => {
  const next = nextOf(new URL(request.url).searchParams);
  const session = keyIn(currentApp(), 'operator', request);
  if (session !== null && (await findSession(currentApp(), session)) !== null) return seeOther(next);
  // The form is bound to this browser before there is a session.
  const key = keyIn(currentApp(), 'operator-sign-in', request) ?? newSessionKey();
  const isFromElsewhere = request.headers.get('sec-fetch-site') === 'cross-site';
  return withCookie(await signInPage(200, { key, next, isFromElsewhere }), 'operator-sign-in', key);
});

/** `POST /operator/login`: wrong tokens are counted by address together with those of accounts. */
export const signIn = consoleRoute(async (context) => {
  const app = currentApp();
  const fields = await readForm(context.request);
  const formKey = keyIn(app, 'operator-sign-in', context.request);
  if (formKey === null || !isOwnForm(app, formKey, fields.get('form') ?? '')) return refuseForm();
  const [given, next] = [(fields.get('token') ?? '').trim(), nextOf(fields)];
  const session = await startSession(app, given);
  if (!session) {
    const { refusal } = await app.rateLimits.countWrongToken(context.address);
    if (refusal) {
      const seconds = refusal.retryAfterSeconds ?? 60;
      const text = `Wrong token, and too many wrong ones came from your address. Try again in ${seconds} seconds.`;
      return {
        ...(await signInPage(429, { key: formKey, next, problem: text })),
        headers: { 'Retry-After': String(seconds) },
      };
    }
    app.log.warn({ address: context.address }, 'a wrong token was entered at the console');
    const problem = `Wrong token. Use ${tokenWords()}.`;
    return signInPage(403, { key: formKey, next, problem });
  }
  await record(session.actor, context, 'console.sign_in');
  return withCookie(seeOther(next), 'operator', session.key);
});

/** `POST /operator/logout` */
export const signOut = consoleAction('read', async (action) => {
  await endSession(currentApp(), action.sessionKey);
  await record(action.operator.name, action, 'console.sign_out');
  return seeOther('/operator/login');
});

function record(name: string, { address }: PageRequest, action: 'console.sign_in' | 'console.sign_out') {
  return recordAction(currentApp(), { actor: { name, address }, action, correlationId: newId('op') });
}

function withCookie(
  answer: PageAnswer,
  ...[name, key]: [name: 'operator' | 'operator-sign-in', key: string]
): PageAnswer {
  return { ...answer, headers: { ...answer.headers, 'Set-Cookie': keyCookie(currentApp(), name, key) } };
}

/** Where to go afterwards: only to the console itself, as a browser reads the address. */
function nextOf(fields: URLSearchParams): string {
  const next = fields.get('next') ?? '';
  const { origin } = new URL(currentApp().settings.PUBLIC_URL);
  if (!URL.canParse(next, origin)) return '/operator';
  const to = new URL(next, origin);
  const isInConsole = to.origin === origin && /^\/operator(?=$|\/)(?!\/log(in|out))/.test(to.pathname);
  return isInConsole ? to.pathname + to.search : '/operator';
}

interface SignInState {
  /** The key of the browser's form. */
  readonly key: string;
  /** Where to go afterwards. */
  readonly next: string;
  /** Why the token was not accepted. */
  readonly problem?: string;
  /** Whether a link on another site led here. Such a request comes without the session cookie. */
  readonly isFromElsewhere?: boolean;
}

async function signInPage(status: number, state: SignInState): Promise<PageAnswer> {
  const assets = await pageAssets('operator');
  const page = (
    <Page assets={assets} title={state.problem === undefined ? 'Sign in' : 'Error: Sign in'} session={null}>
      <SignIn {...state} formToken={formTokenOf(currentApp(), state.key)} />
    </Page>
  );
  return { status, html: await renderPage(page) };
}

/** Which tokens open this console. */
function tokenWords(): string {
  const { settings } = currentApp();
  const operators = consoleOperators(settings);
  const isShared = operators.some(({ name }) => name === null);
  if (operators.every(({ name }) => name === null)) return 'the value of OPERATOR_TOKEN';
  return isShared ? 'your own token, or the value of OPERATOR_TOKEN' : 'your own token';
}

function SignIn({
  formToken,
  next,
  problem,
  isFromElsewhere = false,
}: SignInState & { formToken: string }): ReactNode {
  const words = tokenWords();
  const hint = `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
  return (
    <>
      <h1>Sign in</h1>
      <Summary
        title="You are not signed in"
        problems={problem === undefined ? [] : [{ text: problem, field: 'token' }]}
      />
      {isFromElsewhere ? (
        <p>
          You came from another site. If you are signed in already, <a href={next}>open the page</a>.
        </p>
      ) : null}
      <form method="post" action="/operator/login" noValidate>
        <FormToken value={formToken} />
        <input type="hidden" name="next" value={next} />
        <Field id="token" label="Operator token" hint={hint} error={problem}>
          <input
            id="token"
            name="token"
            type="password"
            autoComplete="current-password"
            {...describing('token', { hint, error: problem })}
          />
        </Field>
        <button type="submit">Sign in</button>
      </form>
      <p className="quiet">You are signed out after 30 minutes without a request, and after 12 hours.</p>
    </>
  );
}
