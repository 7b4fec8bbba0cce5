import type { Readable } from 'node:stream';
import { type Operator, recordAction } from '@/lib/operator/actions';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { type ContentTarget, reportDetails } from '@/lib/services/abuse-reports';
import { type FormContent, findForm, formUrls, storedContent } from '@/lib/services/forms/form';
import { objectKey } from '@/lib/services/uploads/slot';
import { publicUrl } from '@/lib/services/uploads/slug';

interface ContentDeps
  extends Pick<WithDatabase & WithStore & Platform, 'db' | 'store' | 'settings' | 'clock' | 'keys'> {}

/** What an operator may know about a form or a file without looking at its content. */
export interface ContentFacts {
  readonly target: ContentTarget;
  /** Its public page or link. */
  readonly url: string;
  /** The paid call that made it. */
  readonly paidCallId: string;
  /** `taken_down` can be restored, and `erased` was taken down and cannot. The time of what is `over` has ended. */
  readonly status: 'public' | 'taken_down' | 'erased' | 'over';
  readonly takenDownAt: Date | null;
  /** Nobody can see it after this moment. */
  readonly publicUntil: Date;
  /** Forms: how many people have answered. Files: null. */
  readonly responses: number | null;
  /** Files: the announced type and size in bytes. Forms: null. */
  readonly file: { readonly mime: string; readonly sizeBytes: number } | null;
}

/**
 * Finds a form or an upload by its id, or by any address of its page or file on this service.
 * @returns null when there is none
 */
export async function findContent(app: ContentDeps, idOrUrl: string): Promise<ContentFacts | null> {
  const word = idOrUrl.trim();
  if (/^fm_[0-9A-Za-z]{1,61}$/.test(word)) return formFacts(app, word);
  if (/^up_[0-9A-Za-z]{1,61}$/.test(word)) return uploadFacts(app, { id: word });
  const url = URL.parse(word);
  if (!url) return null;
  const [first = '', second = ''] = url.pathname.split('/').slice(1);
  const isAt = (origin: string) => url.host === new URL(origin).host;
  if (isAt(app.settings.PUBLIC_URL)) return first === 'f' ? formFacts(app, second) : null;
  if (!isAt(app.settings.FILES_URL) || !/^[0-9A-Za-z]{22,64}$/.test(first)) return null;
  return uploadFacts(app, { linkToken: first });
}

/** The titles of forms and the names of files, by ID, for a list; those that are erased have none. */
export async function readTitles(
  { db }: Pick<WithDatabase, 'db'>,
  targets: readonly ContentTarget[],
): Promise<Record<string, string>> {
  const idsOf = (kind: ContentTarget['kind']) =>
    targets.filter((target) => target.kind === kind).map(({ id }) => id);
  const [forms, uploads] = await Promise.all([
    db.form.findMany({ where: { id: { in: idsOf('form') } }, select: { id: true, content: true } }),
    db.upload.findMany({
      where: { id: { in: idsOf('upload') } },
      select: { id: true, slug: true, filename: true },
    }),
  ]);
  return Object.fromEntries([
    ...forms.flatMap(({ id, content }) =>
      content === null ? [] : [[id, storedContent.parse(content).title]],
    ),
    ...uploads.map(({ id, slug, filename }) => [id, filename ?? slug]),
  ]);
}

async function formFacts(app: ContentDeps, id: string): Promise<ContentFacts | null> {
  const form = await app.db.form.findUnique({
    where: { id },
    select: { paidCallId: true, readableUntil: true, takenDownAt: true, erasedAt: true, responseCount: true },
  });
  if (!form) return null;
  const isOver = form.erasedAt !== null || form.readableUntil <= app.clock.date();
  return {
    target: { kind: 'form', id },
    url: formUrls(app, id).url,
    paidCallId: form.paidCallId,
    status: statusOf(form.takenDownAt, form.erasedAt, isOver),
    takenDownAt: form.takenDownAt,
    publicUntil: form.readableUntil,
    responses: form.responseCount,
    file: null,
  };
}

async function uploadFacts(
  app: ContentDeps,
  where: { readonly id: string } | { readonly linkToken: string },
): Promise<ContentFacts | null> {
  const upload = await app.db.upload.findUnique({
    where,
    select: {
      id: true,
      paidCallId: true,
      slug: true,
      linkToken: true,
      mime: true,
      sizeBytes: true,
      expiresAt: true,
      deletedAt: true,
      takenDownAt: true,
    },
  });
  if (!upload) return null;
  const { id, paidCallId, mime, sizeBytes, expiresAt, deletedAt, takenDownAt } = upload;
  const isOver = deletedAt !== null || expiresAt <= app.clock.date();
  return {
    target: { kind: 'upload', id },
    url: publicUrl(app, upload),
    paidCallId,
    status: statusOf(takenDownAt, deletedAt, isOver),
    takenDownAt,
    publicUntil: expiresAt,
    responses: null,
    file: { mime, sizeBytes },
  };
}

function statusOf(takenDownAt: Date | null, erasedAt: Date | null, isOver: boolean): ContentFacts['status'] {
  if (takenDownAt !== null) return erasedAt === null ? 'taken_down' : 'erased';
  return isOver ? 'over' : 'public';
}

/** Content of a form or file, for an operator who decides about it. A part that was erased, or never arrived, is null. */
export type ShownContent =
  | { readonly kind: 'form'; readonly form: FormContent | null }
  | { readonly kind: 'upload'; readonly bytes: Readable | null };

/** Who looks, and under which correlation id it is recorded. */
export interface Looking {
  readonly actor: Operator;
  readonly correlationId: string;
}

interface ShowContentDeps extends Pick<WithDatabase, 'db'>, Pick<WithStore, 'store'> {}

/**
 * The content of a form (as its author wrote it, without responses) or a file, for moderation. The look is recorded before
 * anything is read. The bytes of a file may be hostile: send them as a download, never inline.
 */
export async function showContent(
  app: ShowContentDeps,
  target: ContentTarget,
  looking: Looking,
): Promise<ShownContent> {
  await recordAction(app, { ...looking, action: 'content.show', target });
  if (target.kind === 'upload') return { kind: 'upload', bytes: await app.store.open(objectKey(target.id)) };
  const form = await findForm(app, target.id);
  return { kind: 'form', form: form?.content ?? null };
}

interface ShowReportDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'keys'> {}

/** A reporter's text; reading it is recorded like any look at content. Null when there is none, or the report is closed. */
export async function showReport(app: ShowReportDeps, id: string, looking: Looking): Promise<string | null> {
  await recordAction(app, { ...looking, action: 'content.show', target: { kind: 'report', id } });
  return reportDetails(app, id);
}
