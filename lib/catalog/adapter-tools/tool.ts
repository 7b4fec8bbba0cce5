import type { z } from 'zod';

/**
 * One tool of the local MCP adapter. Pure data: the adapter, its manifest and the guides are made from it. What a
 * tool costs is what its operation costs on the account rail.
 */
export interface AdapterTool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Read by the assistant that decides whether to call it. */
  readonly description: string;
  /** USDC that a call takes from the account, decimal; null where it takes nothing. */
  readonly price: string | null;
  /** The operation that it calls; null where it calls none. */
  readonly operation: string | null;
  /**
   * The hints of the protocol. Hosts may call what is read-only or idempotent without asking the person first, so nothing
   * that has a price is either. The world is open to tools whose answers come from the web or from airlines.
   */
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
  readonly input: I;
  readonly output: O;
  readonly example: z.input<I>;
}

/** Declares a tool, keeping its schemas' types. */
export function adapterTool<I extends z.ZodObject, O extends z.ZodObject>(
  entry: AdapterTool<I, O>,
): AdapterTool<I, O> {
  return entry;
}

/** Free, and changes nothing. */
export const reads = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

/** Takes its price from the account, each time that it is called. */
export const pays = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const;
