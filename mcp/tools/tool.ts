import type { Adapter } from '../adapter';

/** What a tool gives back. */
export interface ToolOutcome {
  readonly output: unknown;
  /** A sentence for the assistant beside the output. */
  readonly note?: string;
  /** To be done once the answer has left for the assistant. */
  readonly afterDelivery?: () => Promise<void>;
}

/**
 * Does what a tool is for.
 * @param input as its schema in the catalog parsed it
 * @throws ToolError
 */
export type Run<Input> = (adapter: Adapter, input: Input, signal: AbortSignal) => Promise<ToolOutcome>;
