import type { Adapter } from '../adapter';

/** The result of a tool. */
export interface ToolOutcome {
  readonly output: unknown;
  /** A sentence for the assistant in addition to the output. */
  readonly note?: string;
  /** Runs once the response has been sent to the assistant. */
  readonly afterDelivery?: () => Promise<void>;
}

/**
 * The implementation of a tool.
 * @param input as parsed by its schema in the catalog
 * @throws ToolError
 */
export type Run<Input> = (adapter: Adapter, input: Input, signal: AbortSignal) => Promise<ToolOutcome>;
