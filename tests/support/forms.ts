import { payingFetch, type Wallet } from './buyer';
import { newEvmPayer } from './payers';
import { stack, type TestNetwork } from './stack';

export const formsUrl = () => `${stack().apiUrl}/v1/forms`;

/** The response of a form's creation. */
export interface CreatedForm {
  id: string;
  url: string;
  readToken: string;
  responsesUrl: string;
  closesAt: string;
  readableUntil: string;
  maxResponses: number;
  status: string;
}

/** One question of each type, some required. */
export const everyType = {
  title: 'Summer party',
  description: 'Tell us about you.\nIt takes a minute.',
  questions: [
    { id: 'name', type: 'text', label: 'Your name', required: true, maxLength: 40, help: 'As on the list.' },
    { id: 'story', type: 'long_text', label: 'Your story', minLength: 5 },
    { id: 'mail', type: 'email', label: 'Your email', required: true, placeholder: 'name@example.com' },
    { id: 'guests', type: 'number', label: 'Guests', min: 0, max: 9, integer: true },
    {
      id: 'food',
      type: 'choice',
      label: 'Food',
      options: ['Soup', 'Salad'],
      allowOther: true,
      required: true,
    },
    {
      id: 'days',
      type: 'multi_choice',
      label: 'Days',
      options: ['Friday', 'Saturday', 'Sunday'],
      allowOther: true,
      maxSelections: 2,
    },
  ],
} as const;

/** Buys a form with the official client. */
export async function buyForm(
  body: object = everyType,
  wallet?: Wallet,
  on: TestNetwork['name'] = 'base',
): Promise<CreatedForm> {
  const payer = wallet ?? (await newEvmPayer());
  const answer = await payingFetch(payer, on)(formsUrl(), { method: 'POST', body: JSON.stringify(body) });
  if (answer.status !== 200)
    throw new Error(`the form was not sold: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Reads the responses; `query` includes its question mark. */
export function readResponses(
  form: Pick<CreatedForm, 'responsesUrl' | 'readToken'>,
  query = '',
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(form.responsesUrl + query, {
    headers: { Authorization: `Bearer ${form.readToken}`, ...headers },
  });
}

/** Asks for links to a form, as the holder of its read token. */
export function askForLinks(
  { responsesUrl, readToken }: Pick<CreatedForm, 'responsesUrl' | 'readToken'>,
  body: unknown,
): Promise<Response> {
  return fetch(responsesUrl.replace(/responses$/, 'links'), {
    method: 'POST',
    headers: { Authorization: `Bearer ${readToken}` },
    body: JSON.stringify(body),
  });
}

/** The URL of a link to a form for one recipient. */
export async function linkTo(form: CreatedForm, link: object): Promise<string> {
  const made = await askForLinks(form, { links: [link] });
  if (made.status !== 200) throw new Error(`no link was made: ${made.status} ${await made.text()}`);
  return (await made.json()).links[0].url;
}

/** Opens a form's page without scripts. Posting the form takes the stamp. */
export async function openPage(url: string): Promise<{ status: number; html: string; stamp: string }> {
  const answer = await fetch(url);
  const html = await answer.text();
  return { status: answer.status, html, stamp: /name="stamp" value="([^"]+)"/.exec(html)?.[1] ?? '' };
}

/** Posts a form as a browser without scripts does. Redirects are not followed. */
export function postPage(
  url: string,
  fields: Record<string, string | readonly string[]>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one as string]),
  );
  return fetch(url, { method: 'POST', body: new URLSearchParams(pairs), headers, redirect: 'manual' });
}
