import type { Input, Operation } from '@/lib/catalog/operation';
import type { HttpApp } from '@/lib/http/app';
import type { AnyService, ServicesApp } from '@/lib/services';
import type { Service } from '@/lib/services/service';
import { type Requester, resultOf, type ThreadJob } from '@/lib/threads';
import {
  errorFrom,
  type JudgedDryRun,
  type JudgedInput,
  judgeDryRun,
  judgeInput,
  type PathParams,
} from './judge-input';

/**
 * Validating the most expensive input of this size takes two or three milliseconds, about as long as passing it to a
 * thread. Larger inputs go to a thread (docs/decisions/checks-in-threads.md).
 */
const onEventLoopBytesMax = 8 * 1024;

/** Exported by check-thread.ts under these names. */
const judgeInputJob: ThreadJob<{ operation: string; bytes: Uint8Array; params: PathParams }, JudgedInput> = {
  name: 'judgeInputOf',
};

const judgeDryRunJob: ThreadJob<Uint8Array, JudgedDryRun> = { name: 'judgeDryRunOf' };

/**
 * Parses and validates the input of an operation. An invalid input is refused with a valid example.
 * @returns the typed input, and the hash of the request that the payment will be bound to
 * @throws ApiError the operation's refusals, or service_unavailable (503) when the threads' queue is full
 */
export async function acceptInput<Op extends Operation>(
  app: HttpApp,
  operation: Op,
  service: Service<Op, ServicesApp>,
  bytes: Uint8Array,
  params: PathParams,
  requester: Requester,
): Promise<{ input: Input<Op>; requestHash: Buffer }> {
  const judged =
    bytes.length <= onEventLoopBytesMax
      ? await judgeInput(operation, service.check, bytes, params)
      : resultOf(
          await app.threads.run(
            judgeInputJob,
            { operation: operation.id, bytes, params },
            requester,
            bytes.length,
          ),
          operation.codes?.invalidInput ?? 'invalid_input',
        );
  if (judged.kind === 'refused') throw errorFrom(judged, operation);
  // The thread judged the same operation, found by its id.
  return { input: judged.input as Input<Op>, requestHash: Buffer.from(judged.requestHash) };
}

/**
 * Parses the body of a dry run and validates the input in it.
 * @param serviceOf finds the service of an operation
 * @throws ApiError service_unavailable (503) when the threads' queue is full
 */
export async function acceptDryRun(
  app: HttpApp,
  bytes: Uint8Array,
  serviceOf: (operationId: string) => AnyService | undefined,
  requester: Requester,
): Promise<JudgedDryRun> {
  if (bytes.length <= onEventLoopBytesMax) return judgeDryRun(bytes, (id) => serviceOf(id)?.check);
  return resultOf(await app.threads.run(judgeDryRunJob, bytes, requester, bytes.length), 'invalid_input');
}
