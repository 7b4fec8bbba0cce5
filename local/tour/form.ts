import { dim, print, printStep } from '../terminal';
import { buy, check, type Way } from './buying';

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

/** Opens a form, reads its answers and answers its address. */
export async function buyForm(way: Way): Promise<string> {
  const form = await buy<Form>({ words: 'a web form', path: '/forms', body: lunch }, way);
  const startedMs = performance.now();
  const page = await fetch(form.url);
  check(page.ok, `The page of the form answers ${page.status}.`);
  const answers = await fetch(form.responsesUrl, { headers: { authorization: `Bearer ${form.readToken}` } });
  check(answers.ok, `The answers of the form cannot be read: ${answers.status} ${await answers.text()}`);
  printStep(
    'opened its page and read its answers, of which there are none yet',
    performance.now() - startedMs,
  );
  print(
    dim(`      fill it in, then: curl -H "Authorization: Bearer ${form.readToken}" ${form.responsesUrl}`),
  );
  return form.url;
}
