import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Input, Operation, Output } from '@/lib/catalog/operation';
import { type Client, paying } from '@/lib/platform/owners';
import type { Platform } from '@/lib/platform/platform';
import { chosenProvider } from '@/lib/platform/upstream/availability';
import type { JsonObject } from '@/lib/platform/upstream/call-provider';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import {
  callAsProbe,
  callPaid,
  refuseUnlessAvailable,
  UpstreamFailure,
} from '@/lib/platform/upstream/failure';
import type { RemoteName } from '@/lib/platform/upstream/providers';
import { type Caller, type Payer, type Service, service } from '@/lib/services/service';
import type { ReadingPool } from './reader/reading-pool';
import type { UnreadSites } from './unread-sites';

/** What searching and reading use. */
export interface ResearchDeps
  extends WithUpstream,
    Pick<Platform, 'settings' | 'clock' | 'timings' | 'log' | 'metrics'> {
  readonly reading: ReadingPool;
  readonly unreadSites: UnreadSites;
}

/**
 * Calls one provider: maps the caller's request field by field, and returns its response. Throws UpstreamFailure for
 * every failure, even one with status 200.
 */
export type Source<Request> = (app: ResearchDeps, request: Request, payer: Payer) => Promise<JsonObject>;

/** The providers of an operation, by name. The catalog orders them by preference. */
export type Sources<Request> = Readonly<Partial<Record<RemoteName, Source<Request>>>>;

/** What a provider is known to refuse, by its name. Throws ApiError, before the payment. */
export type Refusals<Request> = Readonly<
  Partial<Record<RemoteName, (app: ResearchDeps, request: Request) => void>>
>;

/**
 * Our own implementation. It runs before the payment, because a failure costs us nothing and so must not cost the
 * caller anything.
 */
export interface OwnSource<Request> {
  /** Throws ApiError when it cannot be done now. */
  readonly admit: (app: ResearchDeps, caller: Caller, request: Request) => Promise<void>;
  /** Throws ApiError with a code that says that nothing was charged. */
  readonly prepare: (app: ResearchDeps, request: Request, client: Client) => Promise<JsonObject>;
}

/**
 * A service that a provider delivers: its response unchanged, after validation. The provider is called after the
 * payment, except by the call that tries whether the provider works again after a failure.
 */
export function forward<Op extends Operation>(
  operation: Op,
  sources: Sources<Input<Op>>,
  refusals: Refusals<Input<Op>> = {},
): Service<Op, ResearchDeps> {
  return service(operation, {
    callsThirdParty: true,

    async admit(app: ResearchDeps, input) {
      const { target } = choose(app, operation, sources);
      refusals[target.provider]?.(app, input);
      await refuseUnlessAvailable(app, target);
    },

    async prepare(app: ResearchDeps, input, preparation) {
      const { target, source } = choose(app, operation, sources);
      if (!app.circuitBreakers.isHalfOpen(target)) return null;
      return callAsProbe(app, target, async () => answerOf(operation, await source(app, input, preparation)));
    },

    async deliver(app: ResearchDeps, input, delivery) {
      const { paidCallId, prepared } = delivery;
      if (prepared !== null) return operation.output.parse(prepared) as Output<Op>;
      const { target, source } = choose(app, operation, sources);
      return callPaid(app, target, paidCallId, async () =>
        answerOf(operation, await source(app, input, delivery)),
      );
    },
  });
}

/**
 * Like `forward`, or our own implementation when no provider is configured. Ours runs in `prepare`, a provider's in
 * `deliver`.
 */
export function forwardOrRead<Op extends Operation>(
  operation: Op,
  sources: Sources<Input<Op>>,
  own: OwnSource<Input<Op>>,
  refusals?: Refusals<Input<Op>>,
): Service<Op, ResearchDeps> {
  const forwarded = forward(operation, sources, refusals);
  const isOurs = (app: Pick<Platform, 'settings'>) =>
    chosenProvider(app, operation.providers ?? []) === 'reader';
  return service(operation, {
    callsThirdParty: true,

    admit: (app: ResearchDeps, input, caller) =>
      isOurs(app)
        ? own.admit(app, caller, input)
        : (forwarded.admit?.(app, input, caller) ?? Promise.resolve()),

    preparesWith: (app: Pick<Platform, 'settings'>) => (isOurs(app) ? 'browser' : null),

    prepare: async (app: ResearchDeps, input, preparation) =>
      isOurs(app)
        ? answerOf(operation, await own.prepare(app, input, preparation))
        : forwarded.prepare?.(app, input, preparation),

    async deliver(app: ResearchDeps, input, delivery) {
      if (delivery.prepared !== null) return operation.output.parse(delivery.prepared) as Output<Op>;
      // Only a call that was prepared under other settings gets here without anything prepared.
      if (!isOurs(app)) return forwarded.deliver(app, input, delivery);
      return answerOf(operation, await own.prepare(app, input, paying(delivery)));
    },
  });
}

function choose<Request>(
  app: Pick<Platform, 'settings'>,
  { id, providers = [] }: Operation,
  sources: Sources<Request>,
) {
  const name = chosenProvider(app, providers);
  const source = name && name !== 'reader' && sources[name];
  if (!source) throw new ApiError('provider_unconfigured');
  return { target: { provider: name, operation: id }, source };
}

/** Validates a response with the catalog's schema. A mismatch is a failure of the provider. */
function answerOf<Op extends Operation>(operation: Op, json: JsonObject): Output<Op> {
  const parsed = operation.output.safeParse(json);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape');
  // The operation's own schema parsed it.
  return parsed.data as Output<Op>;
}
