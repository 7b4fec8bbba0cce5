import { requestHash } from '@/lib/http/body';
import type { ProcessDeps } from '@/lib/http/paid-call';
import { acceptedFrom, refusalFrom, validateInput } from '@/lib/http/validate-input';

/**
 * Parses and validates an input. The payment is bound to what was sent rather than to what it was parsed to: the schemas are the
 * host's, and a default of theirs may be another one each time, so that a retry would count as another request.
 */
export const acceptInput: ProcessDeps['acceptInput'] = async (operation, check, bytes, params) => {
  const { input } = acceptedFrom(await validateInput(operation, check, bytes, params), operation);
  try {
    const body: unknown = operation.takesBody ? JSON.parse(new TextDecoder().decode(bytes)) : null;
    return { input, requestHash: requestHash(operation, { params, body }) };
  } catch (error) {
    // A schema that ignores unknown fields has not looked into them, however deep they are.
    const refusal = refusalFrom(error, 'invalid_input');
    return acceptedFrom(refusal, operation);
  }
};
