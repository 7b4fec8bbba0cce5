import type { z } from 'zod';

/**
 * A tool of the MCP adapter. Pure data: the adapter, its manifest and the guides are made from it. A tool costs what its
 * operation costs on the account rail.
 */
export interface AdapterTool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** The assistant reads it to decide whether to call the tool. */
  readonly description: string;
  /** Price in USDC, decimal; null if the tool is free. */
  readonly price: string | null;
  /** The operation that the tool calls; null if it calls none. */
  readonly operation: string | null;
  /**
   * The hints of the protocol. Hosts may call read-only or idempotent tools without asking the person first, so no paid tool
   * is either. Tools whose results come from the web or from airlines are open-world.
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

/** Free and read-only. */
export const reads = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

/** Paid: each call takes its price from the account. */
export const pays = { readOnly: false, destructive: false, idempotent: false, openWorld: false } as const;
