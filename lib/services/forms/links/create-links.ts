import type { z } from 'zod';
import { ApiError, type Issue } from '@/lib/catalog/errors/api-error';
import { type createLinks as createOperation, linkLimits } from '@/lib/catalog/form-links';
import type { Platform } from '@/lib/platform/platform';
import type { Requester, WithThreads } from '@/lib/platform/threads';
import { findForbidden } from '@/lib/services/forms/find-forbidden';
import type { ReadableForm } from '@/lib/services/forms/form';
import { prefill } from './prefill';
import { type FormLink, linkedPath, sealLink } from './seal-link';

interface LinkDeps extends WithThreads, Pick<Platform, 'settings' | 'keys'> {}

type Links = z.output<typeof createOperation.body>['links'];

/**
 * Makes links to a form for one recipient each. Stores nothing.
 * @throws ApiError invalid_input or form_forbidden_content (400)
 */
export async function createLinks(
  app: LinkDeps,
  form: ReadableForm,
  links: Links,
  requester: Requester,
): Promise<z.output<typeof createOperation.output>> {
  const faults = links.flatMap(({ answers = {} }, index) =>
    prefill(form.content, answers).faults.map(({ questionId, rule }) => ({
      path: answerPath(index, questionId),
      rule,
    })),
  );
  if (faults.length > 0) throw new ApiError('invalid_input', { reason: 'invalid_input', issues: faults });
  const forbidden = await findForbiddenIn(app, form, links, requester);
  if (forbidden.length > 0) throw new ApiError('form_forbidden_content', { issues: forbidden });
  const made = links.map((link) => ({
    recipient: link.recipient,
    url: app.settings.PUBLIC_URL + linkedPath(form.id, sealLink(app, form.id, link)),
  }));
  const tooLong = made.flatMap(({ url }, index) =>
    url.length > linkLimits.urlLengthMax
      ? [
          {
            path: `links.${index}`,
            rule: `must be shorter: its address has more than ${linkLimits.urlLengthMax} characters`,
          },
        ]
      : [],
  );
  if (tooLong.length > 0) throw new ApiError('invalid_input', { reason: 'invalid_input', issues: tooLong });
  return { links: made };
}

function answerPath(index: number, questionId: string): string {
  // An ID that no question can have is not repeated.
  const isPlain = /^[A-Za-z0-9_-]{1,40}$/.test(questionId);
  return isPlain ? `links.${index}.answers.${questionId}` : `links.${index}.answers`;
}

/** People read a prefilled text as part of the question, so it must not ask for more than the form may. */
async function findForbiddenIn(
  app: LinkDeps,
  form: ReadableForm,
  links: readonly FormLink[],
  requester: Requester,
): Promise<Issue[]> {
  const filled = links.map(({ answers = {} }) =>
    form.content.questions.flatMap(({ id, label, options }) => {
      const answer = Object.hasOwn(answers, id) ? answers[id] : undefined;
      if (answer === undefined || typeof answer === 'number') return [];
      const texts = [answer].flat();
      return [{ id, text: options ? { label, options: texts } : { label, placeholder: texts[0] } }];
    }),
  );
  const asForms = [
    ...links.map(({ recipient }) => ({ title: recipient ?? '', questions: [] })),
    ...filled.map((questions) => ({ title: '', questions: questions.map(({ text }) => text) })),
  ];
  const found = await findForbidden(app, asForms, requester, 'invalid_input');
  return links.flatMap((_, index) => {
    const inRecipient = found[index] ?? [];
    const inAnswers = found[links.length + index] ?? [];
    const rule = (kind: string) => `must not ask for: ${kind}`;
    return [
      ...inRecipient.map(({ kind }) => ({ path: `links.${index}.recipient`, rule: rule(kind) })),
      ...inAnswers.map(({ path, kind }) => ({
        path: answerPath(index, filled[index]?.[Number(path.split('.')[1])]?.id ?? ''),
        rule: rule(kind),
      })),
    ];
  });
}
