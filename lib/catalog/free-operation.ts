import type { z } from 'zod';
import type { ErrorCode } from '@/lib/catalog/errors/codes';
import type { Category } from './categories';
import type { Body, Params } from './operation';

/** Who may call a free operation: anyone, or the holder of a token or a wallet. */
type Access = 'account' | 'readToken' | 'wallet' | undefined;

/** A free operation without a body. Pure data, like a paid operation. */
export interface FreeReading<
  P extends Params = Params,
  O extends z.ZodType = z.ZodType,
  Q extends z.ZodObject | undefined = z.ZodObject | undefined,
  A extends Access = Access,
> {
  readonly id: string;
  readonly category: Category;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /**
   * `account`: needs an account token in `Authorization: Bearer`. `readToken`: needs the read token of a form there.
   * `wallet`: signed in by wallet.
   */
  readonly access?: A;
  /** Not rate limited, because health checks call it all the time. */
  readonly isUnlimited?: true;
  /** Not a tool: assistants read every tool before they begin, and seldom need this one. */
  readonly isHttpOnly?: true;
  /** What it does, as a heading: two to five words, verb first, sentence case, no period. */
  readonly title: string;
  readonly summary: string;
  /** What assistants read instead of the summary, where that speaks of HTTP. */
  readonly toolDescription?: string;
  /** The name of its tool, if not made from the id. */
  readonly toolName?: string;
  readonly params: P;
  /** The query parameters. */
  readonly query?: Q;
  readonly output: O;
  readonly errors: readonly ErrorCode[];
  readonly example: { readonly params: z.input<P>; readonly output: z.input<O> };
}

/** A free operation with a body. */
export interface FreeTool<
  P extends Params = Params,
  B extends Body = Body,
  O extends z.ZodType = z.ZodType,
  A extends Access = Access,
> extends Omit<FreeReading<P, O, undefined, A>, 'method' | 'query' | 'example'> {
  readonly method: 'POST';
  readonly body: B;
  readonly takesBody: true;
  /** A minimal valid body, included in errors about invalid input. */
  readonly minimalBody?: z.input<B>;
  readonly example: {
    readonly params: z.input<P>;
    readonly body: z.input<B>;
    readonly output: z.input<O>;
  };
}

export type FreeOperation = FreeReading | FreeTool;

/** Declares a free operation, keeping the types of its schemas and who may call it. */
export function freeOperation<
  P extends Params,
  O extends z.ZodType,
  Q extends z.ZodObject | undefined = undefined,
  A extends Access = undefined,
>(entry: FreeReading<P, O, Q, A>): FreeReading<P, O, Q, A> {
  return entry;
}

/** Declares a free operation with a body, keeping the types of its schemas and who may call it. */
export function freeTool<P extends Params, B extends Body, O extends z.ZodType, A extends Access = undefined>(
  entry: FreeTool<P, B, O, A>,
): FreeTool<P, B, O, A> {
  return entry;
}
