import { buffer } from 'node:stream/consumers';
import type { ContentTarget } from '@/lib/platform/database/abuse-reports';
import type { FormContent } from '@/lib/services/forms/form';
import { type Looking, showContent as readContent } from '../moderation/content';
import type { OperatorApp } from '../operator-app';

/** Content that a caller sent, for moderation. A part that was erased, or never arrived, is null. */
export interface ContentToJudge {
  readonly form: FormContent | null;
  /** A file has at most 10 MiB. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

/** Reads the content of a form or a file. The look is recorded first. */
export async function showContent(
  app: OperatorApp,
  target: ContentTarget,
  looking: Looking,
): Promise<ContentToJudge> {
  const shown = await readContent(app, target, looking);
  if (shown.kind === 'form') return { form: shown.form, bytes: null };
  return { form: null, bytes: shown.bytes && new Uint8Array(await buffer(shown.bytes)) };
}
