import { z } from 'zod';
import { currentApp } from '@/lib/app/current';
import type { PageAnswer } from '@/lib/http/page-route';
import { takeDownReasons } from '@/lib/operator/moderation/take-down';
import { newId } from '@/lib/platform/ids';
import { type ContentTarget, restorableDays } from '@/lib/services/abuse-reports';
import type { FormContent } from '@/lib/services/forms/form';
import {
  type ConsoleAction,
  type ConsoleRequest,
  consoleAction,
  consolePage,
  may,
  seeOther,
  showPage,
} from './console-route';
import { ContentPage } from './content-page';
import { Empty } from './parts';
import type { Problem } from './summary';

/** Serves the page of one form or file, for moderation. Its content is shown only on request, which is logged. */

type Kind = ContentTarget['kind'];

/** `GET /operator/forms/{id}`, `GET /operator/uploads/{id}` */
export const showContentPage = (kind: Kind) => consolePage((context) => contentPage(context, kind, 200, {}));

/** `POST` to the same paths: shows the content, takes it down, restores it, or erases it. */
export const decideContent = (kind: Kind) =>
  consoleAction('moderate', async (action) => {
    const target = targetOf(kind, action);
    if (!target) return contentPage(action, kind, 404, {});
    switch (action.fields.get('step')) {
      case 'show':
        return show(action, target);
      case 'take-down':
        return takeDown(action, target);
      case 'restore':
        return restore(action, target);
      case 'erase':
        return erase(action, target);
      default:
        return contentPage(action, kind, 400, { problems: [{ text: 'Start again from here.' }] });
    }
  });

function targetOf(kind: Kind, { id }: ConsoleRequest): ContentTarget | null {
  const prefix = kind === 'form' ? 'fm_' : 'up_';
  return id.startsWith(prefix) ? { kind, id } : null;
}

async function show(action: ConsoleAction, target: ContentTarget): Promise<PageAnswer> {
  const looking = { actor: action.operator, correlationId: newId('op') };
  const { form, bytes } = await currentApp().console.showContent(target, looking);
  if (target.kind === 'form') return contentPage(action, 'form', 200, { content: form, isShown: true });
  if (bytes) return { status: 200, file: { name: `${target.id}.untrusted`, content: bytes } };
  return contentPage(action, 'upload', 404, {
    problems: [{ text: 'No bytes arrived, or they are erased.' }],
  });
}

const noteSchema = z.string().trim().min(1).max(2_000);
const takeDownSchema = z.object({ reason: z.enum(takeDownReasons), note: noteSchema });

const takeDownMessages = {
  reason: 'Choose a reason.',
  note: 'Enter a note of at most 2,000 characters.',
} as const;

async function takeDown(action: ConsoleAction, target: ContentTarget): Promise<PageAnswer> {
  const { fields } = action;
  const parsed = takeDownSchema.safeParse({ reason: fields.get('reason'), note: fields.get('note') });
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path }) => String(path[0]));
    const problems = Object.entries(takeDownMessages)
      .filter(([field]) => wrong.includes(field))
      .map(([field, text]) => ({ field, text }));
    return contentPage(action, target.kind, 400, { problems, values: Object.fromEntries(fields) });
  }
  const decision = { ...parsed.data, ...recordOf(action), isErased: fields.get('erase') === 'yes' };
  if (await currentApp().console.takeDown(target, decision)) return seeOther(pathOf(target));
  return contentPage(action, target.kind, 409, {
    problems: [{ text: 'It has already been taken down, or it has ended.' }],
  });
}

async function restore(action: ConsoleAction, target: ContentTarget): Promise<PageAnswer> {
  const note = noteSchema.safeParse(action.fields.get('note'));
  if (!note.success)
    return contentPage(action, target.kind, 400, {
      problems: [{ field: 'note', text: 'Enter why it is restored.' }],
    });
  if (await currentApp().console.restore(target, { note: note.data, ...recordOf(action) }))
    return seeOther(pathOf(target));
  const text = `It is not down, or was taken down more than ${restorableDays} days ago and is erased.`;
  return contentPage(action, target.kind, 409, { problems: [{ text }] });
}

async function erase(action: ConsoleAction, target: ContentTarget): Promise<PageAnswer> {
  const note = noteSchema.optional().safeParse(action.fields.get('note')?.trim() || undefined);
  if (!note.success)
    return contentPage(action, target.kind, 400, {
      problems: [{ field: 'erase-note', text: 'A note has at most 2,000 characters.' }],
    });
  if (await currentApp().console.eraseContent(target, { note: note.data, ...recordOf(action) }))
    return seeOther(pathOf(target));
  return contentPage(action, target.kind, 409, {
    problems: [{ text: 'It is not taken down, or already erased.' }],
  });
}

function recordOf({ operator }: ConsoleAction) {
  return { actor: operator, correlationId: newId('op') };
}

function pathOf({ kind, id }: ContentTarget): string {
  return `/operator/${kind}s/${id}`;
}

interface Shown {
  readonly problems?: readonly Problem[];
  /** What was filled in, to be corrected. */
  readonly values?: Readonly<Record<string, string>>;
  /** The content of a form, if it was asked for; null when it is erased. */
  readonly content?: FormContent | null;
  readonly isShown?: boolean;
}

async function contentPage(
  context: ConsoleRequest,
  kind: Kind,
  status: number,
  shown: Shown,
): Promise<PageAnswer> {
  const target = targetOf(kind, context);
  const facts = target && (await currentApp().console.findContent(target.id));
  if (!facts) return showPage(context, 'Not found', <NotFound kind={kind} />, 404);
  const page = (
    <ContentPage
      facts={facts}
      formToken={context.formToken}
      path={pathOf(facts.target)}
      canModerate={may(context, 'moderate')}
      {...shown}
    />
  );
  return showPage(context, kind === 'form' ? 'Form' : 'File', page, status);
}

function NotFound({ kind }: { kind: Kind }) {
  return (
    <>
      <h1>{kind === 'form' ? 'Form' : 'File'} not found</h1>
      <Empty>There is none with this ID.</Empty>
    </>
  );
}
