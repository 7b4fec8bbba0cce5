import type { z } from 'zod';
import type { ErrorCode } from '@/lib/errors/codes';
import type { Category } from './categories';
import type { Body, Params } from './operation';

/** A route that costs nothing and takes no body. Pure data, as a paid operation is. */
export interface FreeReading<P extends Params = Params, O extends z.ZodType = z.ZodType> {
  readonly id: string;
  readonly category: Category;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** `account`: for the holder of an account's token, in `Authorization: Bearer`. */
  readonly access?: 'account';
  /** Not rate limited: health checks call it all the time. */
  readonly isUnlimited?: true;
  readonly summary: string;
  readonly params: P;
  /** What may stand after the question mark. */
  readonly query?: z.ZodObject;
  readonly output: O;
  readonly errors: readonly ErrorCode[];
  readonly example: { readonly params: z.input<P>; readonly output: z.input<O> };
}

/** A route that costs nothing and works on a body. */
export interface FreeTool<P extends Params = Params, B extends Body = Body, O extends z.ZodType = z.ZodType>
  extends Omit<FreeReading<P, O>, 'method' | 'query' | 'example'> {
  readonly method: 'POST';
  readonly body: B;
  readonly takesBody: true;
  /** The least that is a valid body; answers to invalid input carry it. */
  readonly minimalBody?: z.input<B>;
  readonly example: {
    readonly params: z.input<P>;
    readonly body: z.input<B>;
    readonly output: z.input<O>;
  };
}

export type FreeOperation = FreeReading | FreeTool;

/** Declares a free operation, keeping its schemas' types. */
export function freeOperation<P extends Params, O extends z.ZodType>(entry: FreeReading<P, O>) {
  return entry;
}

/** Declares a free operation that takes a body, likewise. */
export function freeTool<P extends Params, B extends Body, O extends z.ZodType>(
  entry: FreeTool<P, B, O>,
): FreeTool<P, B, O> {
  return entry;
}
