import type { z } from 'zod';
import { ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import type { FreeOperation, FreeReading, FreeTool } from '@/lib/catalog/free-operation';
import type { SignedInWallet } from '@/lib/payments/sign-in/sign-in-signature';
import { bearerTokenOf } from '@/lib/platform/bearer-token';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { accountOf } from '@/lib/services/accounts/access';
import type { ReadableForm } from '@/lib/services/forms/form';
import { openWithToken } from '@/lib/services/forms/open-with-token';
import type { ApiRequest, ApiResponse, PathParams } from './api-message';
import { readAddress, readBytes, readInput } from './body';
import type { FreeAnswer } from './free-call';
import { type SignInDeps, signIn } from './sign-in';

/** A free operation with what answers its requests, and uses these parts of the app. */
export interface FreeHandler<App> {
  readonly operation: FreeOperation;
  readonly answer: (app: App, request: ApiRequest, params: PathParams) => Promise<FreeAnswer>;
}

interface HolderDeps extends Pick<WithDatabase, 'db' | 'batches'>, Pick<Platform, 'clock'> {}

interface ReaderDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock'> {}

/** The output of an operation for a 200, or a complete response. */
type AnswerOf<Op extends FreeOperation> =
  | { readonly body: z.output<Op['output']>; readonly headers?: Record<string, string> }
  | ApiResponse;

/** What a schema reads; anything for one without fields, which would otherwise allow any field. */
type FieldsOf<Schema extends z.ZodObject> = keyof Schema['shape'] extends never ? unknown : z.output<Schema>;

/** The query and path parameters of an operation. */
type AddressOf<Op extends FreeReading> = FieldsOf<Op['params']> &
  ([NonNullable<Op['query']>] extends [never] ? unknown : FieldsOf<NonNullable<Op['query']>>);

/** `unknown` for an operation whose callers have this access, so that a handler for others is a type error. */
type IfFor<Op extends FreeOperation, Access> = Access extends NonNullable<Op['access']> ? unknown : never;

/** Anybody may call it, or its handler reads the token of a form or signs a wallet in. */
export function forAnybody<Op extends FreeOperation, App>(
  operation: Op & (NonNullable<Op['access']> extends 'readToken' | 'wallet' ? unknown : never),
  work: (app: App, request: ApiRequest, params: PathParams) => Promise<AnswerOf<Op>>,
): FreeHandler<App> {
  return { operation, answer: async (...call) => checked(operation, await work(...call)) };
}

/** The holder of an account's token calls it. */
export function forHolder<Op extends FreeReading, App>(
  operation: Op & IfFor<Op, 'account'>,
  work: (app: App, accountId: string, input: AddressOf<Op>, now: Date) => Promise<z.output<Op['output']>>,
): FreeHandler<App & HolderDeps> {
  const read = addressReader<Op>(operation);
  return {
    operation,
    answer: async (app, request, params) => {
      const accountId = await accountOf(app, request);
      const body = await work(app, accountId, read(request, params), app.clock.date());
      return checked<Op>(operation, { body });
    },
  };
}

/** The holder of a form's read token calls it. */
export function forReader<Op extends FreeReading, App>(
  operation: Op & IfFor<Op, 'readToken'>,
  work: (app: App, form: ReadableForm, input: AddressOf<Op>) => Promise<z.output<Op['output']>>,
): FreeHandler<App & ReaderDeps> {
  const read = addressReader<Op>(operation);
  return {
    operation,
    answer: async (app, request, params) => {
      const form = await formOf(app, request, params);
      return checked<Op>(operation, { body: await work(app, form, read(request, params)) });
    },
  };
}

/** The form in the path of a request, for the holder of its read token. */
export function formOf(app: ReaderDeps, request: ApiRequest, { id }: PathParams): Promise<ReadableForm> {
  return openWithToken(app, typeof id === 'string' ? id : '', bearerTokenOf(request));
}

/** A request that a wallet has signed. */
export interface WalletRequest<Query, App> {
  readonly app: App;
  readonly owner: SignedInWallet;
  readonly query: Query;
  readonly request: ApiRequest;
}

/** A wallet signs in for each call. A query that is not valid is refused before anybody signs it. */
export function forWallet<Op extends FreeReading, App>(
  operation: Op & IfFor<Op, 'wallet'>,
  work: (request: WalletRequest<AddressOf<Op>, App>) => Promise<AnswerOf<Op>>,
): FreeHandler<App & SignInDeps> {
  const read = addressReader<Op>(operation);
  return {
    operation,
    answer: async (app, request, params) => {
      const query = read(request, params);
      const signedIn = await signIn(app, request, operation);
      if ('challenge' in signedIn) return signedIn.challenge;
      return checked(operation, await work({ app, owner: signedIn.wallet, query, request }));
    },
  };
}

/** Parses a body with the operation's schemas. One that is not valid is answered with an example, as for paid calls. */
export async function runTool<Op extends FreeTool, Output>(
  operation: Op,
  request: ApiRequest,
  params: PathParams,
  use: (input: ReturnType<typeof readInput<Op>>) => Output | Promise<Output>,
): Promise<Output> {
  const bytes = await readBytes(request);
  try {
    return await use(readInput(operation, bytes, params));
  } catch (error) {
    if (!isApiError(error) || error.code !== 'invalid_input') throw error;
    const { reason, issues } = error;
    throw new ApiError('invalid_input', { reason, issues, example: operation.minimalBody });
  }
}

function addressReader<Op extends FreeReading>({ params, query }: Op) {
  const schema = query ? params.safeExtend(query.shape) : params;
  // Both parts are parsed by the operation's own schemas.
  return (request: ApiRequest, sent: PathParams) => readAddress(schema, request, sent) as AddressOf<Op>;
}

/** What leaves the service has the form that its documents promise, as the answers of paid calls do. */
function checked<Op extends FreeOperation>({ output }: Op, answer: AnswerOf<Op>): FreeAnswer {
  return 'status' in answer ? answer : { ...answer, body: output.parse(answer.body) };
}
