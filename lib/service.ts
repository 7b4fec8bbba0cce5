import type { Input, Operation, Output } from '@/lib/catalog/operation';

/** What a service may know of the call that it delivers. Money is none of its business beyond this. */
export interface Delivery {
  /** The wallet that paid: checksummed EVM address or base58 Solana address. */
  readonly payer: string;
  /** Makes an effect repeatable: the same id never has the effect twice. */
  readonly paidCallId: string;
  /** The settlement transaction. */
  readonly transactionHash: string | null;
  readonly now: Date;
}

/** How a service answers an operation. Every function throws ApiError for a refusal in the product's own words. */
export interface Service<Op extends Operation = Operation> {
  /** May this payer have this now? Runs before anything is charged; reads only. */
  readonly admit?: (input: Input<Op>, caller: { payer: string; now: Date }) => Promise<void>;
  /** The effect, after settlement. Idempotent by `paidCallId`: repeated after a crash, it returns the same output. */
  readonly deliver: (input: Input<Op>, delivery: Delivery) => Promise<Output<Op>>;
}
