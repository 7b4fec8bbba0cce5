import type { z } from 'zod';

/**
 * One tool of the local MCP adapter (SPEC 4.9). Pure data: the adapter, its manifest and the guides are made from it. What a
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
  /** The hints of the protocol; the world outside is open to every tool that calls an operation. */
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
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

/** Changes nothing but, where it has a price, the balance. */
export const reads = { readOnly: true, destructive: false, idempotent: true } as const;

/** Makes or changes something; done twice, it is done twice. */
export const changes = { readOnly: false, destructive: false, idempotent: false } as const;
