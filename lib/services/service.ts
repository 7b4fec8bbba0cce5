import type { AnswerHeader, Input, Operation, Output } from '@/lib/catalog/operation';
import type { UnchargedWork } from '@/lib/catalog/uncharged-work';
import type { WithDatabase } from '@/lib/db/database';
import type { WithStore } from '@/lib/storage';
import type { WithThreads } from '@/lib/threads';
import type { Requester } from '@/lib/threads/requester';
import type { WithUpstream } from '@/lib/upstream/circuit-breakers';

/** What every service may use of the app. One that needs more says so in its own folder (`app.ts`). */
export interface ServiceApp extends WithDatabase, WithStore, WithThreads, WithUpstream {}

/** What a service may know of the call that it delivers. Money is none of its business beyond this. */
export interface Delivery {
  /** The wallet that paid: checksummed EVM address or base58 Solana address. */
  readonly payer: string;
  /** Makes an effect repeatable: the same id never has the effect twice. */
  readonly paidCallId: string;
  /** The settlement transaction. */
  readonly transactionHash: string | null;
  /** What `prepare` returned for this call; null when the service has none, or it was before a prepared call was kept. */
  readonly prepared: unknown;
  readonly now: Date;
}

/** What a service may know of who asks, before anything is charged. */
export interface Caller extends Pick<Delivery, 'payer' | 'now'> {
  /** Whether no call of this payer has ever been charged, as far as is known. */
  readonly isNewcomer: boolean;
}

/** What a service may know of the call that it prepares. */
export interface Preparation extends Caller, Pick<Delivery, 'paidCallId'> {
  /**
   * To be told how much work the preparation takes, in the unit of its kind. It counts against the budget of the payer
   * when nothing is charged in the end.
   */
  readonly countWork: (amount: number) => void;
}

/**
 * What a service says of an input by itself, before the payment is looked at. Asks nothing and nobody, because large inputs
 * are checked in another thread (check-thread.ts). Throws ApiError.
 */
export type InputCheck<Op extends Operation = Operation> = (input: Input<Op>) => Promise<void>;

/** Who asks for a call with a request of their own. */
export interface RequestingCaller extends Caller {
  /** For whom anything expensive is done. */
  readonly requester: Requester;
}

/** What a caller should know of an input that is taken all the same. */
export interface Warning {
  /** In a sentence, for the dry run. */
  readonly message: string;
  /** The header that says it with the answer of the paid call. */
  readonly header: AnswerHeader;
  readonly value: string;
}

/**
 * How a service answers an operation. Every function throws ApiError for a refusal in the product's own words.
 * @typeParam App what its functions need of the app
 */
export interface Service<Op extends Operation = Operation, App extends ServiceApp = ServiceApp> {
  readonly operation: Op;
  /** Is this something that the service takes at all? */
  readonly check?: InputCheck<Op>;
  /** What the caller is told with the verdict of a dry run and in headers of the answer. Quick, and the same every time. */
  readonly warnings?: (input: Input<Op>) => readonly Warning[];
  /** May this payer have this now? Runs before anything is charged; reads only. */
  readonly admit?: (app: App, input: Input<Op>, caller: RequestingCaller) => Promise<void>;
  /** What `prepare` takes that is scarce, under the present settings; null for nothing. Left out: nothing, ever. */
  readonly preparesWith?: (app: App) => UnchargedWork | null;
  /**
   * What can fail cheaply and invisibly, after the claim and before anything is charged. What it returns (JSON) is kept
   * with the call until it ends. When it throws, nothing is charged and the call is over; a retry may begin it anew.
   */
  readonly prepare?: (app: App, input: Input<Op>, preparation: Preparation) => Promise<unknown>;
  /** Takes back what was prepared, when its payment was refused. Best effort. */
  readonly discard?: (app: App, prepared: unknown) => Promise<void>;
  /**
   * Whether delivering costs a third party. Then recovery never does it by itself: a call that was interrupted is finished
   * by the client's retry, and after a day without one it is the operator's.
   */
  readonly callsThirdParty?: true;
  /**
   * The effect, after settlement. Idempotent by `paidCallId`: repeated after a crash, it returns the same output. When it
   * throws an ApiError of `keptFailures`, the call ends as kept: paid, not delivered, and openly said so.
   */
  readonly deliver: (app: App, input: Input<Op>, delivery: Delivery) => Promise<Output<Op>>;
}

/** Pairs an operation of the catalog with what does it. */
export function service<Op extends Operation, App extends ServiceApp>(
  operation: Op,
  implementation: Omit<Service<Op, App>, 'operation'>,
): Service<Op, App> {
  return { operation, ...implementation };
}
