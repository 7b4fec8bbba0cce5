import { createHash, createHmac } from 'node:crypto';
import { stack } from './stack';

/** Clients for the operator's console that need no browser. */

/** The token of the shared server. */
export function operatorToken(): string {
  return stack().serverEnv.OPERATOR_TOKEN ?? '';
}

interface Sent {
  readonly cookie?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request as a browser at this origin would: a POST if there are fields. */
export function sendToConsole(
  path: string,
  { cookie, fields, headers }: Sent = {},
  { apiUrl, origin = apiUrl }: { apiUrl: string; origin?: string } = stack(),
): Promise<Response> {
  const posted = fields && {
    method: 'POST',
    body: new URLSearchParams(fields),
  };
  return fetch(apiUrl + path, {
    redirect: 'manual',
    ...posted,
    headers: {
      Accept: 'text/html',
      'X-Forwarded-For': '192.0.2.7',
      ...(cookie === undefined ? {} : { Cookie: cookie }),
      ...(fields === undefined ? {} : { Origin: origin, 'Sec-Fetch-Site': 'same-origin' }),
      ...headers,
    },
  });
}

export function cookieOf(answer: Response): string {
  return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
}

/** The token in the hidden field of a page's forms. */
export async function formTokenIn(answer: Response): Promise<string> {
  return / name="form" value="([0-9a-f]{64})"/.exec(await answer.text())?.[1] ?? '';
}

/** Opens the sign-in page and submits a token. */
export async function enterToken(
  token: string,
  options: { headers?: Readonly<Record<string, string>>; next?: string } = {},
  server?: { apiUrl: string; origin?: string },
): Promise<Response> {
  const page = await sendToConsole('/operator/login', {}, server);
  const fields = { form: await formTokenIn(page), token, next: options.next ?? '' };
  return sendToConsole(
    '/operator/login',
    { cookie: cookieOf(page), fields, headers: options.headers },
    server,
  );
}

/** Signs in at the shared server, and returns the cookie. */
export async function signInToConsole(): Promise<string> {
  return cookieOf(await enterToken(operatorToken()));
}

/** The ID of a session's row, from its cookie. */
export function sessionIdOf(cookie: string): string {
  const key = cookie.slice(cookie.indexOf('=') + 1);
  const tokenHash = createHash('sha256').update(operatorToken()).digest('hex');
  return createHmac('sha256', tokenHash).update(`session\0\0${key}`).digest('hex');
}
