import type { Operation } from '@/lib/catalog/operation';
import type { Delivery, InputCheck, Preparation, RequestingCaller, Warning } from '@/lib/services/service';
import type { WorkBudget } from './work-budget';

/**
 * The service of one operation as a paid call uses it (`Service` describes its functions). It has what it needs of the app. The
 * inputs were parsed by the operation's schemas before they were stored.
 */
export interface CallService {
  readonly operation: Operation;
  readonly check: InputCheck | undefined;
  /** Whether something is prepared between the claim and the charge. */
  readonly isPrepared: boolean;
  /** Whether delivery calls a third party, which costs money. */
  readonly callsThirdParty: boolean;
  /** How much it prepares for a payer without a charge. */
  readonly budget: WorkBudget;
  /** Whether its provider is configured. */
  isAvailable(): boolean;
  warnings(input: unknown, prepared: unknown): readonly Warning[];
  admit(input: unknown, caller: RequestingCaller): Promise<void>;
  /** @returns null when nothing is prepared */
  prepare(input: unknown, preparation: Preparation): Promise<unknown>;
  discard(prepared: unknown): Promise<void>;
  /** @returns what the operation's output schema has yet to parse */
  deliver(input: unknown, delivery: Delivery): Promise<unknown>;
}

/** Finds the service of an operation; null for one that is no longer offered. */
export type FindCallService = (operationId: string) => CallService | null;
