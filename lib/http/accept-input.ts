import type { CallService } from '@/lib/calls/call-service';
import type { Operation } from '@/lib/catalog/operation';
import { type Requester, resultOf, type ThreadJob, type WithThreads } from '@/lib/platform/threads';
import type { InputCheck } from '@/lib/services/service';
import type { PathParams } from './api-message';
import { type ValidatedDryRun, validateDryRun } from './validate-dry-run';
import { type AcceptedInput, acceptedFrom, type ValidatedInput, validateInput } from './validate-input';

/**
 * Validating the most expensive input of this size takes two or three milliseconds, about as long as passing it to a
 * thread. Larger inputs go to a thread (docs/decisions/unpaid-work.md).
 */
const onEventLoopBytesMax = 8 * 1024;

/** Exported by check-thread.ts under these names. */
const validateInputJob: ThreadJob<
  { operation: string; bytes: Uint8Array; params: PathParams },
  ValidatedInput
> = {
  name: 'validateInputOf',
};

const validateDryRunJob: ThreadJob<Uint8Array, ValidatedDryRun> = { name: 'validateDryRunOf' };

/**
 * Parses and validates the input of an operation. An invalid input is refused with a valid example.
 * @param check of the operation's service
 * @returns the typed input, and the hash of the request that the payment will be bound to
 * @throws ApiError the operation's refusals, or service_unavailable (503) when the threads' queue is full
 */
export async function acceptInput<Op extends Operation>(
  app: WithThreads,
  operation: Op,
  check: InputCheck<Op> | undefined,
  bytes: Uint8Array,
  params: PathParams,
  requester: Requester,
): Promise<AcceptedInput<Op>> {
  if (bytes.length <= onEventLoopBytesMax)
    return acceptedFrom(await validateInput(operation, check, bytes, params), operation);
  const job = { operation: operation.id, bytes, params };
  const outcome = await app.threads.run(validateInputJob, job, requester, bytes.length);
  const validated = resultOf(outcome, operation.codes?.invalidInput ?? 'invalid_input');
  // The thread validated the same operation, found by its id.
  return acceptedFrom(validated as ValidatedInput<Op>, operation);
}

/**
 * Parses the body of a dry run and validates the input in it.
 * @param serviceOf finds the service of an operation
 * @throws ApiError service_unavailable (503) when the threads' queue is full
 */
export async function acceptDryRun(
  app: WithThreads,
  bytes: Uint8Array,
  serviceOf: (operationId: string) => Pick<CallService, 'check'> | null,
  requester: Requester,
): Promise<ValidatedDryRun> {
  if (bytes.length <= onEventLoopBytesMax) return validateDryRun(bytes, (id) => serviceOf(id)?.check);
  return resultOf(await app.threads.run(validateDryRunJob, bytes, requester, bytes.length), 'invalid_input');
}
