import { dim, print, printStep } from '../terminal';
import { type Buyer, buy, check } from './buy';

type Form = { url: string; readToken: string; responsesUrl: string };

const lunch = {
  title: 'Team lunch',
  description: 'Friday at noon.',
  questions: [
    { id: 'name', type: 'text', label: 'Your name', required: true },
    {
      id: 'food',
      type: 'choice',
      label: 'What would you like?',
      options: ['Soup', 'Salad'],
      allowOther: true,
    },
    { id: 'note', type: 'long_text', label: 'Anything that we should know?' },
  ],
};

/** Buys a form, opens its page and reads its responses. Returns the URL of the page. */
export async function buyForm(buyer: Buyer): Promise<string> {
  const form = await buy<Form>({ label: 'a web form', path: '/forms', body: lunch }, buyer);
  const startedMs = performance.now();
  const page = await fetch(form.url);
  check(page.ok, `The page of the form was answered with ${page.status}.`);
  const responses = await fetch(form.responsesUrl, {
    headers: { authorization: `Bearer ${form.readToken}` },
  });
  check(
    responses.ok,
    `The request for the form's responses was answered with ${responses.status}: ${await responses.text()}`,
  );
  printStep('opened the page and read the responses (none yet)', performance.now() - startedMs);
  print(
    dim(`      after filling it in: curl -H "Authorization: Bearer ${form.readToken}" ${form.responsesUrl}`),
  );
  return form.url;
}
