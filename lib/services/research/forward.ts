import type { Input, Operation, Output } from '@/lib/catalog/operation';
import { type Client, paying } from '@/lib/concurrency/fair-semaphore';
import { ApiError } from '@/lib/errors/api-error';
import type { ResearchApp } from '@/lib/services/research/app';
import { type Caller, type Service, service } from '@/lib/services/service';
import type { JsonObject } from '@/lib/upstream/ask';
import { chosenProvider } from '@/lib/upstream/availability';
import { askPaid, UpstreamFailure } from '@/lib/upstream/failure';
import type { RemoteName } from '@/lib/upstream/providers';

/**
 * Asks one provider: its request is made from the caller's, field by field, and what comes back is its answer, or what
 * looks like it. Throws UpstreamFailure for everything else, an answer of status 200 that says that it failed included.
 */
export type Source<Request> = (app: ResearchApp, request: Request, payer: string) => Promise<JsonObject>;

/** Who can do an operation, by name. The catalog says in which order they are preferred. */
export type Sources<Request> = Readonly<Partial<Record<RemoteName, Source<Request>>>>;

/**
 * What we do ourselves. It is done before the call is paid for, because a failure of it costs us nothing: then it costs the
 * caller nothing either.
 */
export interface OwnSource<Request> {
  /** Throws ApiError when it cannot be done here and now. */
  readonly admit: (app: ResearchApp, caller: Caller) => Promise<void>;
  /** Throws ApiError of a code that says that nothing was charged. */
  readonly prepare: (app: ResearchApp, request: Request, client: Client) => Promise<JsonObject>;
}

/** The service of an operation that somebody else does: its answer as it is, once it is known to be one. */
export function forward<Op extends Operation>(
  operation: Op,
  sources: Sources<Input<Op>>,
): Service<Op, ResearchApp> {
  return service(operation, {
    callsThirdParty: true,

    async admit(app: ResearchApp) {
      app.circuitBreakers.refuseWhileOpen(choose(app, operation, sources).name);
    },

    async deliver(app: ResearchApp, input, { paidCallId, payer }) {
      const { name, source } = choose(app, operation, sources);
      return askPaid(app, { name }, paidCallId, async () =>
        answerOf(operation, await source(app, input, payer)),
      );
    },
  });
}

/**
 * The same, where we can do it ourselves when nobody else is configured. What was prepared is the answer; a third party is
 * asked after the payment, as ever.
 */
export function forwardOrRead<Op extends Operation>(
  operation: Op,
  sources: Sources<Input<Op>>,
  own: OwnSource<Input<Op>>,
): Service<Op, ResearchApp> {
  const forwarded = forward(operation, sources);
  const isOurs = (app: ResearchApp) => chosenProvider(app, operation.providers ?? []) === 'reader';
  return service(operation, {
    callsThirdParty: true,

    admit: (app: ResearchApp, input, caller) =>
      isOurs(app) ? own.admit(app, caller) : (forwarded.admit?.(app, input, caller) ?? Promise.resolve()),

    preparesWith: (app: ResearchApp) => (isOurs(app) ? 'browser' : null),

    prepare: async (app: ResearchApp, input, preparation) =>
      isOurs(app) ? answerOf(operation, await own.prepare(app, input, preparation)) : null,

    async deliver(app: ResearchApp, input, delivery) {
      if (delivery.prepared !== null) return operation.output.parse(delivery.prepared) as Output<Op>;
      // Only a call that was prepared under other settings comes here with nothing prepared.
      if (!isOurs(app)) return forwarded.deliver(app, input, delivery);
      return answerOf(operation, await own.prepare(app, input, paying(delivery.payer)));
    },
  });
}

function choose<Request>(app: ResearchApp, { providers = [] }: Operation, sources: Sources<Request>) {
  const name = chosenProvider(app, providers);
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
