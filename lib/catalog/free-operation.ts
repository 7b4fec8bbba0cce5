import type { z } from 'zod';
import type { Category } from './categories';
import type { ErrorCode } from './errors';
import type { Body, Params } from './operation';

/** A route that costs nothing. Pure data, as a paid operation is. */
export interface FreeOperation<
  P extends Params = Params,
  O extends z.ZodType = z.ZodType,
  B extends Body = Body,
> {
  readonly id: string;
  readonly category: Category;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** `account`: for the holder of an account's token, in `Authorization: Bearer`. */
  readonly access?: 'account';
  readonly summary: string;
  readonly params: P;
  /** What may stand after the question mark. */
  readonly query?: z.ZodObject;
  /** What is sent; left out where nothing is. */
  readonly body?: B;
  readonly output: O;
  readonly errors: readonly ErrorCode[];
  readonly example: { readonly params: z.input<P>; readonly body?: z.input<B>; readonly output: z.input<O> };
}

/** Declares a free operation, keeping its schemas' types. */
export function freeOperation<P extends Params, O extends z.ZodType, B extends Body = Body>(
  entry: FreeOperation<P, O, B>,
) {
  return entry;
}
