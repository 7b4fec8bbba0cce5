import { z } from 'zod';
import type { CodeWithPayment, ErrorCode } from '@/lib/catalog/errors/codes';
import type { Category } from './categories';
import type { ProviderName } from './providers';

/** How a call is paid: one of the payment protocols, or a prepaid account. */
export type RailName = 'x402' | 'mpp' | 'account';

/** One value for every rail, or one for some of them. */
export type OnRail<T extends string> = T | Readonly<Partial<Record<RailName, T>>>;

/** One path per rail; segments in braces. A rail without a path is not offered. */
export type RailPaths = Readonly<{ x402: string; mpp?: string; account?: string }>;

/** The segments of a path (`{id}`), always strings. */
export type Params = z.ZodObject;
export type Body = z.ZodObject;

/** Response headers of single operations, in addition to those of every paid call. */
export type AnswerHeader = 'Unsupported-Characters' | 'Cut-Content';

/**
 * A paid operation. Pure data: challenges, validation, documents and prices are derived from it, so nothing in it is
 * stated twice.
 */
export interface Operation<
  P extends Params = Params,
  B extends Body = Body,
  O extends z.ZodType = z.ZodType,
  R extends RailPaths = RailPaths,
> {
  readonly id: string;
  /** The document that describes it: `/files/openapi.json` and so on. */
  readonly category: Category;
  /** Its name in the price list. */
  readonly priceName: string;
  readonly method: 'POST' | 'DELETE' | 'GET';
  readonly paths: R;
  /** Methods that its x402 path answers with 404 instead of 405. */
  readonly hiddenMethods?: readonly ('GET' | 'HEAD')[];
  /** USDC, decimal. */
  readonly price: string;
  /**
   * The body field in which the caller sets the price, and its bounds; `price` is the lower one. The challenge of such an
   * operation can only be made from the body.
   */
  readonly variablePrice?: { readonly field: string; readonly min: string; readonly max: string };
  /**
   * Whether the same request, bought again, adds to what it bought before. Such a call is always paid for: a wallet cannot sign in
   * for the earlier answer.
   */
  readonly addsUp?: true;
  /** The input field with the account that a deposit credits. */
  readonly creditsAccount?: string;
  /** What it does, as a heading: two to five words, verb first, sentence case, no period. */
  readonly title: string;
  /** A sentence or two. At most 500 characters: some servers that settle refuse payments with longer descriptions. */
  readonly summary: string;
  /** What assistants read instead of the summary, where that speaks of HTTP. */
  readonly toolDescription?: string;
  readonly params: P;
  /** An empty object schema if the operation takes no body. */
  readonly body: B;
  readonly takesBody: boolean;
  /** The body field with a file size: above its maximum, the status is 413 instead of 400. */
  readonly sizeField?: string;
  /** Maximum body size in bytes; default 64 KiB. */
  readonly bodyBytesMax?: number;
  readonly output: O;
  /** Response headers of this operation. */
  readonly answerHeaders?: readonly AnswerHeader[];
  /** Output fields that a replay includes only with the caller's own Idempotency-Key. */
  readonly secretOutputs?: readonly string[];
  /** A minimal valid body, included in errors about invalid input. */
  readonly minimalBody?: z.input<B>;
  /** Whether it gives out a public link, whose limits the operator sets (link-limits.ts). */
  readonly givesLink?: true;
  /** The operation is available if at least one of these providers is configured. Left out if it needs none. */
  readonly providers?: readonly ProviderName[];
  /**
   * All work that can fail is done before the charge, so a failed call costs nothing. That also holds whenever our own page
   * reader serves an operation.
   */
  readonly failsUncharged?: true;
  /** The errors of this operation, in addition to 402. */
  readonly errors: readonly ErrorCode[];
  /** Why its service may refuse a call before the charge: what callers are told, by reason. */
  readonly refusals?: Readonly<Record<string, string>>;
  /** Errors never repeat anything of the body: an unknown field is named by its position. */
  readonly neverEchoes?: true;
  /** Error codes that this operation uses instead of the usual ones. */
  readonly codes?: {
    readonly invalidInput?: CodeWithPayment<'none'>;
    /** For path parameters that cannot name anything. */
    readonly invalidParams?: CodeWithPayment<'none'>;
    readonly settlementUnknown?: OnRail<CodeWithPayment<'unknown'>>;
    readonly deliveryPending?: OnRail<CodeWithPayment<'kept'>>;
  };
  readonly example: {
    readonly params: z.input<P>;
    readonly body: z.input<B>;
    readonly output: z.input<O>;
  };
}

/** What a service receives: parsed path parameters and body, in one object. */
export type Input<Op extends Operation> = z.output<Op['params']> & z.output<Op['body']>;
export type Output<Op extends Operation> = z.output<Op['output']>;

/** A longer path is replaced with its template, so that it cannot inflate a header. */
const pathLengthMax = 200;

/** The path that says what is bought, in a challenge and in the receipt. */
export function namedPath(path: string, template: string): string {
  return path.length <= pathLengthMax ? path : template;
}

const loneSurrogate = /\p{Surrogate}/u;

/** A path with its parameters filled in. Those that cannot be part of a path leave their braces. */
export function pathWith(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (braces, name: string) => {
    const value = params[name];
    return typeof value === 'string' && !loneSurrogate.test(value) ? encodeURIComponent(value) : braces;
  });
}

export const noParams = z.strictObject({});
export const noBody = z.strictObject({});

/** The `operationId` of an operation on a rail: OpenAPI needs one for every path. */
export function operationIdOn({ id }: Pick<Operation, 'id'>, rail: RailName): string {
  return `${id}.${rail}`;
}

/** Declares an operation, keeping the types of its schemas and which rails it has. */
export function operation<P extends Params, B extends Body, O extends z.ZodType, R extends RailPaths>(
  entry: Operation<P, B, O, R>,
): Operation<P, B, O, R> {
  return entry;
}
