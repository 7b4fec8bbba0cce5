// The worker threads of lib/platform/threads: validates input, form content and printed PDFs, without I/O, settings or keys.
import { operations, render } from '@/lib/catalog';
import type { PathParams } from '@/lib/http/api-message';
import { validateDryRun } from '@/lib/http/validate-dry-run';
import { validateInput } from '@/lib/http/validate-input';
import { markThread } from '@/lib/platform/threads/thread-time';
import { type FormText, findForbiddenContent as findForbidden } from '@/lib/services/forms/content';
import { declareAccessible as declare } from '@/lib/services/render/accessible/declare';
import { checkHtmlInput } from '@/lib/services/render/check-input';
import type { InputCheck } from '@/lib/services/service';

/** How the jobs are called: with their data, and a mark that tells the pool which thread runs them. */
const asJob =
  <Data, Result>(run: (data: Data) => Result) =>
  ({ data, mark }: { data: Data; mark: Int32Array }): Result => {
    markThread(mark);
    return run(data);
  };

/** The services' checks. A test compares them with the services. */
const checks: Readonly<Record<string, unknown>> = { [render.pdf.id]: checkHtmlInput };

export function checkOf(operationId: string): InputCheck | undefined {
  // Each check is typed for its own operation.
  return checks[operationId] as InputCheck | undefined;
}

interface UncheckedInput {
  readonly operation: string;
  readonly bytes: Uint8Array;
  readonly params: PathParams;
}

export const validateInputOf = asJob(({ operation: operationId, bytes, params }: UncheckedInput) => {
  const operation = operations.find(({ id }) => id === operationId);
  if (!operation) throw new Error(`no operation ${operationId}`);
  return validateInput(operation, checkOf(operationId), bytes, params);
});

export const validateDryRunOf = asJob((bytes: Uint8Array) => validateDryRun(bytes, checkOf));

export const findForbiddenContent = asJob((forms: readonly FormText[]) => forms.map(findForbidden));

export const declareAccessible = asJob(declare);
