import { z } from 'zod';
import type { CodeWithPayment, ErrorCode } from '@/lib/errors/codes';
import type { Category } from './categories';
import type { ProviderName } from './providers';

/** How a call is paid: the protocols that the service speaks, and the prepaid account. */
export type RailName = 'x402' | 'mpp' | 'account';

/** One value for every rail, or one for some of them. */
export type OnRail<T extends string> = T | Readonly<Partial<Record<RailName, T>>>;

/** The segments of a path (`{id}`), always strings. */
export type Params = z.ZodObject;
export type Body = z.ZodObject;

/** The headers that operations of ours set on their answers, beside those of every paid call. */
export type AnswerHeader = 'Unsupported-Characters';

/**
 * One thing that is sold. Pure data: challenges, validation, documents and prices are derived from it, and nothing that
 * it says is said anywhere else.
 */
export interface Operation<
  P extends Params = Params,
  B extends Body = Body,
  O extends z.ZodType = z.ZodType,
> {
  readonly id: string;
  /** The document that describes it: `/files/openapi.json` and so on. */
  readonly category: Category;
  /** How the price list names it. */
  readonly priceName: string;
  readonly method: 'POST' | 'DELETE' | 'GET';
  /** One path per rail; segments in braces. A rail without a path is not offered. */
  readonly paths: Readonly<{ x402: string; mpp?: string; account?: string }>;
  /** USDC, decimal. */
  readonly price: string;
  /**
   * Where the caller names the price, in a field of the body: between which bounds. `price` is the lower one. Its challenge
   * can only be made from the body.
   */
  readonly variablePrice?: { readonly field: string; readonly min: string; readonly max: string };
  /** The field of the input that names the account which the payment enters, where it does not pay for anything. */
  readonly creditsAccount?: string;
  /** At most 500 characters: facilitators refuse payments for longer ones. */
  readonly summary: string;
  readonly params: P;
  /** An empty object schema where the operation takes no body. */
  readonly body: B;
  readonly takesBody: boolean;
  /** The body's field that declares a file size: above its maximum the answer is 413 and not 400. */
  readonly sizeField?: string;
  /** The largest body in bytes; 64 KiB unless said otherwise. */
  readonly bodyBytesMax?: number;
  readonly output: O;
  /** Headers of its own that the answer may have. */
  readonly answerHeaders?: readonly AnswerHeader[];
  /** Fields of the output that a repetition gets only with the caller's own Idempotency-Key. */
  readonly secretOutputs?: readonly string[];
  /** The least that is a valid body; answers to invalid input carry it. */
  readonly minimalBody?: z.input<B>;
  /** Who can do it, any one of them; without one that is configured it is not on offer. Left out: we do it ourselves. */
  readonly providers?: readonly ProviderName[];
  /** The codes a caller can meet beside 402. */
  readonly errors: readonly ErrorCode[];
  /** Codes that this operation uses instead of the usual ones. */
  readonly codes?: {
    readonly invalidInput?: CodeWithPayment<'none'>;
    readonly settlementUnknown?: OnRail<CodeWithPayment<'unknown'>>;
    readonly deliveryPending?: OnRail<CodeWithPayment<'kept'>>;
  };
  readonly example: {
    readonly params: z.input<P>;
    readonly body: z.input<B>;
    readonly output: z.input<O>;
  };
}

/** What an effect receives: path parameters and body, parsed, in one object. */
export type Input<Op extends Operation> = z.output<Op['params']> & z.output<Op['body']>;
export type Output<Op extends Operation> = z.output<Op['output']>;

export const noParams = z.strictObject({});
export const noBody = z.strictObject({});

/** How documents name an operation on one rail: OpenAPI wants a name for every path. */
export function operationIdOn({ id }: Pick<Operation, 'id'>, rail: RailName): string {
  return `${id}.${rail}`;
}

/** Declares an operation, keeping its schemas' types. */
export function operation<P extends Params, B extends Body, O extends z.ZodType>(
  entry: Operation<P, B, O>,
): Operation<P, B, O> {
  return entry;
}
