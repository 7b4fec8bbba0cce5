import type { AnswerHeader, Input, Operation, Output } from '@/lib/catalog/operation';
import type { UnchargedWork } from '@/lib/catalog/uncharged-work';
import type { Requester } from '@/lib/platform/threads/thread-pool';

/** Who pays for a call. */
export interface Payer {
  /** The wallet that paid: checksummed EVM address or base58 Solana address. */
  readonly payer: string;
  /**
   * The network of the payment if only a contract has proven the payer; null otherwise. At the same address on another
   * network there may be another contract, with another owner.
   */
  readonly onlyOn: string | null;
}

/** What a service knows about the call that it delivers. It learns nothing else about the payment. */
export interface Delivery extends Payer {
  /** Makes delivery idempotent: the same id never takes effect twice. */
  readonly paidCallId: string;
  /** The settlement transaction. */
  readonly transactionHash: string | null;
  /** The result of `prepare`; null when the service has none. */
  readonly prepared: unknown;
  readonly now: Date;
}

/** What a service knows about the payer before the charge. */
export interface Caller extends Payer, Pick<Delivery, 'now'> {
  /** Whether, as far as known, no call of this payer has ever been charged. */
  readonly isNewcomer: boolean;
}

/** What a service knows about the call that it prepares. */
export interface Preparation extends Caller, Pick<Delivery, 'paidCallId'> {
  /**
   * Reports how much work the preparation takes, in the unit of its kind. It counts against the payer's budget when the
   * call is not charged.
   */
  readonly countWork: (amount: number) => void;
}

/**
 * Validates an input beyond its schema, before the payment is looked at. Must not do I/O, because large inputs are
 * checked in a worker thread (check-thread.ts). Throws ApiError.
 * @returns warnings for the dry run only, about what the caller could still improve
 */
export type InputCheck<Op extends Operation = Operation> = (input: Input<Op>) => Promise<readonly string[]>;

/** The payer of a new request. */
export interface RequestingCaller extends Caller {
  /** The client that expensive checks are queued for. */
  readonly requester: Requester;
}

/** A warning about an accepted input. */
export interface Warning {
  /** A sentence, for the dry run. */
  readonly message: string;
  /** The header of the paid response that contains it. */
  readonly header: AnswerHeader;
  readonly value: string;
}

/**
 * The implementation of an operation. Every function throws ApiError to refuse.
 * @typeParam App what its functions need from the app
 */
export interface Service<Op extends Operation = Operation, App = unknown> {
  readonly operation: Op;
  /** Validates the input. */
  readonly check?: InputCheck<Op>;
  /**
   * Warnings for the dry run and for headers of the response. Must be fast and deterministic.
   * @param prepared the result of `prepare`; null in a dry run, which prepares nothing
   */
  readonly warnings?: (input: Input<Op>, prepared: unknown) => readonly Warning[];
  /** Warnings for the dry run of a named payer that need a look at what the call is about. Read-only. */
  readonly foresee?: (app: App, input: Input<Op>) => Promise<readonly string[]>;
  /** For the dry run: a shell command for what comes after the paid call. */
  readonly nextCommand?: (app: App, input: Input<Op>) => Promise<string>;
  /** Whether this payer may have this now. Runs before the charge. Read-only. */
  readonly admit?: (app: App, input: Input<Op>, caller: RequestingCaller) => Promise<void>;
  /**
   * The scarce resource that `prepare` uses with the current settings; null for none. Services without one leave this
   * out.
   */
  readonly preparesWith?: (app: App) => UnchargedWork | null;
  /**
   * Work that can fail without consequences, after the claim and before the charge. Its result (JSON) is stored with
   * the call until the call ends. If it throws, nothing is charged and the call is refused. A retry may start again.
   */
  readonly prepare?: (app: App, input: Input<Op>, preparation: Preparation) => Promise<unknown>;
  /** Discards what was prepared when the payment is refused. Best effort. */
  readonly discard?: (app: App, prepared: unknown) => Promise<void>;
  /**
   * Whether delivery calls a third party, which costs money. Recovery then does not deliver: the client's retry does,
   * and after a day without one the operator takes over.
   */
  readonly callsThirdParty?: true;
  /**
   * Delivers after settlement. Idempotent by `paidCallId`: repeated after a crash, it returns the same output. An
   * ApiError of `keptFailures` ends the call as kept: paid, not delivered, and reported so.
   */
  readonly deliver: (app: App, input: Input<Op>, delivery: Delivery) => Promise<Output<Op>>;
}

/** Binds an operation to its implementation. */
export function service<Op extends Operation, App>(
  operation: Op,
  implementation: Omit<Service<Op, App>, 'operation'>,
): Service<Op, App> {
  return { operation, ...implementation };
}
