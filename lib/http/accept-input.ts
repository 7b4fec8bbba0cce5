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
 * Up to this size the most expensive input takes two or three milliseconds, and a thread would cost an honest caller as
 * much. Larger ones are read and judged in a thread. Figures: docs/decisions/checks-in-threads.md.
 */
const onEventLoopBytesMax = 8 * 1024;

/** Exported by check-thread.ts under these names. */
const judgeInputJob: ThreadJob<{ operation: string; bytes: Uint8Array; params: PathParams }, JudgedInput> = {
  name: 'judgeInputOf',
};

const judgeDryRunJob: ThreadJob<Uint8Array, JudgedDryRun> = { name: 'judgeDryRunOf' };

/**
 * The typed input, when the operation and its service take it; what they refuse is answered with an example.
 * @returns with it, what an authorization for it is bound to
 * @throws ApiError the operation's refusals, or service_unavailable (503) when too much waits to be judged
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
 * What a dry run asks for, and whether its input would be taken.
 * @param serviceOf what does an operation
 * @throws ApiError service_unavailable (503) when too much waits to be judged
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
