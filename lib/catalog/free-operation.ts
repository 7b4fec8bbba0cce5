import type { z } from 'zod';
import type { Category } from './categories';
import type { ErrorCode } from './errors';
import type { Params } from './operation';

/** A route that costs nothing and takes no input but its address. Pure data, as a paid operation is. */
export interface FreeOperation<P extends Params = Params, O extends z.ZodType = z.ZodType> {
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
  readonly output: O;
  readonly errors: readonly ErrorCode[];
  readonly example: { readonly params: z.input<P>; readonly output: z.input<O> };
}

/** Declares a free operation, keeping its schemas' types. */
export function freeOperation<P extends Params, O extends z.ZodType>(entry: FreeOperation<P, O>) {
  return entry;
}
