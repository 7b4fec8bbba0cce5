// The worker threads of lib/threads: validates input and form content, without I/O, settings or keys.
import { operations, render } from '@/lib/catalog';
import type { PathParams } from '@/lib/http/api-message';
import { validateDryRun, validateInput } from '@/lib/http/validate-input';
import { checkHtmlInput } from '@/lib/services/render/check-input';
import type { InputCheck } from '@/lib/services/service';

export { findForbiddenContent } from '@/lib/form-content';

/** The services' checks. A test compares them with the services. */
const checks: Readonly<Record<string, unknown>> = { [render.pdf.id]: checkHtmlInput };

export function checkOf(operationId: string): InputCheck | undefined {
  // Each check is typed for its own operation.
  return checks[operationId] as InputCheck | undefined;
}

export function validateInputOf({
  operation: operationId,
  bytes,
  params,
}: {
  operation: string;
  bytes: Uint8Array;
  params: PathParams;
}) {
  const operation = operations.find(({ id }) => id === operationId);
  if (!operation) throw new Error(`no operation ${operationId}`);
  return validateInput(operation, checkOf(operationId), bytes, params);
}

export const validateDryRunOf = (bytes: Uint8Array) => validateDryRun(bytes, checkOf);
