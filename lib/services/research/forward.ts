import type { Input, Operation, Output } from '@/lib/catalog/operation';
import { type Client, paying } from '@/lib/concurrency/fair-semaphore';
import { ApiError } from '@/lib/errors/api-error';
import type { Caller, Service } from '@/lib/services/service';
import type { JsonObject } from '@/lib/upstream/ask';
import { chosenProvider } from '@/lib/upstream/availability';
import { askPaid, UpstreamFailure } from '@/lib/upstream/failure';
import type { RemoteName } from '@/lib/upstream/providers';
import { refuseWhileInTrouble } from '@/lib/upstream/trouble';

/**
 * Asks one provider: its request is made from the caller's, field by field, and what comes back is its answer, or what
 * looks like it. Throws UpstreamFailure for everything else, an answer of status 200 that says that it failed included.
 */
export type Source<Request> = (request: Request, payer: string) => Promise<JsonObject>;

/** Who can do an operation, by name. The catalog says in which order they are preferred. */
export type Sources<Request> = Readonly<Partial<Record<RemoteName, Source<Request>>>>;

/**
 * What we do ourselves. It is done before the call is paid for, because a failure of it costs us nothing: then it costs the
 * caller nothing either.
 */
export interface OwnSource<Request> {
  /** Throws ApiError when it cannot be done here and now. */
  readonly admit: (caller: Caller) => Promise<void>;
  /** Throws ApiError of a code that says that nothing was charged. */
  readonly prepare: (request: Request, client: Client) => Promise<JsonObject>;
}

/** The service of an operation that somebody else does: its answer as it is, once it is known to be one. */
export function forward<Op extends Operation>(operation: Op, sources: Sources<Input<Op>>): Service<Op> {
  return {
    asksThirdParty: true,

    async admit() {
      refuseWhileInTrouble(choose(operation, sources).name);
    },

    async deliver(input, { paidCallId, payer }) {
      const { name, source } = choose(operation, sources);
      return askPaid({ name }, paidCallId, async () => answerOf(operation, await source(input, payer)));
    },
  };
}

/**
 * The same, where we can do it ourselves when nobody else is configured. What was prepared is the answer; a third party is
 * asked after the payment, as ever.
 */
export function forwardOrRead<Op extends Operation>(
  operation: Op,
  sources: Sources<Input<Op>>,
  own: OwnSource<Input<Op>>,
): Service<Op> {
  const forwarded = forward(operation, sources);
  const isOurs = () => chosenProvider(operation.providers ?? []) === 'reader';
  return {
    asksThirdParty: true,

    admit: (input, caller) =>
      isOurs() ? own.admit(caller) : (forwarded.admit?.(input, caller) ?? Promise.resolve()),

    preparesWith: () => (isOurs() ? 'browser' : null),

    prepare: async (input, preparation) =>
      isOurs() ? answerOf(operation, await own.prepare(input, preparation)) : null,

    async deliver(input, delivery) {
      if (delivery.prepared !== null) return operation.output.parse(delivery.prepared) as Output<Op>;
      // Only a call that was prepared under other settings comes here with nothing prepared.
      if (!isOurs()) return forwarded.deliver(input, delivery);
      return answerOf(operation, await own.prepare(input, paying(delivery.payer)));
    },
  };
}

function choose<Request>({ providers = [] }: Operation, sources: Sources<Request>) {
  const name = chosenProvider(providers);
  const source = name && name !== 'reader' && sources[name];
  if (!source) throw new ApiError('provider_unconfigured');
  return { name, source };
}

/** Held against the catalog's output before it is anybody's answer: what does not fit is a failure of the provider. */
function answerOf<Op extends Operation>(operation: Op, json: JsonObject): Output<Op> {
  const parsed = operation.output.safeParse(json);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape');
  // Parsed by the operation's own schema.
  return parsed.data as Output<Op>;
}
