// What threads do for lib/threads: judges input and content, asks nothing and nobody. Holds no settings and no keys.
import { operations, render } from '@/lib/catalog';
import { judgeDryRun, judgeInput, type PathParams } from '@/lib/http/judge-input';
import { checkHtmlInput } from '@/lib/services/render/check-input';
import type { InputCheck } from '@/lib/services/service';

export { findForbiddenContent } from '@/lib/form-content';

/** The checks of the services that have one. A test holds them against the services. */
const checks: Readonly<Record<string, unknown>> = { [render.pdf.id]: checkHtmlInput };

export function checkOf(operationId: string): InputCheck | undefined {
  // Each check above is typed for the operation that it stands beside.
  return checks[operationId] as InputCheck | undefined;
}

export function judgeInputOf({
  operation: operationId,
  bytes,
  params,
}: {
  operation: string;
  bytes: Uint8Array;
  params: PathParams;
}) {
  const operation = operations.find(({ id }) => id === operationId);
  if (!operation) throw new Error(`there is no operation ${operationId}`);
  return judgeInput(operation, checkOf(operationId), bytes, params);
}

export const judgeDryRunOf = (bytes: Uint8Array) => judgeDryRun(bytes, checkOf);
