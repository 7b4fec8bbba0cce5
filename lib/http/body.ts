import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { ApiError, invalidInput } from '@/lib/catalog/errors/api-error';
import type { CodeWithPayment } from '@/lib/catalog/errors/codes';
import { issuesOf, toSilentIssues } from '@/lib/catalog/errors/issues';
import type { Operation } from '@/lib/catalog/operation';
import { withoutEmptyFields } from '@/lib/platform/empty-fields';
import { isJsonObject } from '@/lib/platform/json';
import type { ApiRequest } from './api-message';

/** The limit for operations that set none of their own. */
export const usualBodyBytesMax = 64 * 1024;

/** The parts of an operation that describe its input. */
type InputSchemas = Pick<Operation, 'params' | 'body' | 'takesBody'> &
  Partial<Pick<Operation, 'codes' | 'sizeField' | 'neverEchoes'>>;
type InputOf<Op extends InputSchemas> = z.output<Op['params']> & z.output<Op['body']>;

/**
 * Parses path and body of a request for a paid or free operation into its typed input.
 * @throws ApiError invalid_input or the operation's own code for it (400), or file_too_large (413)
 */
export function readInput<Op extends InputSchemas>(
  operation: Op,
  bytes: Uint8Array,
  params: Record<string, string | string[] | undefined>,
): InputOf<Op> {
  const code = operation.codes?.invalidInput ?? 'invalid_input';
  const sent = operation.takesBody ? parseJson(bytes, code) : refuseBody(bytes);
  const body = withoutEmptyFields(operation.body, sent);
  const parsedParams = operation.params.safeParse(params);
  const parsedBody = operation.body.safeParse(body);
  if (parsedParams.error && operation.codes?.invalidParams) throw new ApiError(operation.codes.invalidParams);
  const failures = [...(parsedParams.error?.issues ?? []), ...(parsedBody.error?.issues ?? [])];
  if (parsedParams.data && parsedBody.data) {
    // Both parts were parsed by the operation's own schemas.
    return { ...parsedParams.data, ...parsedBody.data } as InputOf<Op>;
  }
  const [failure] = failures;
  if (
    failure &&
    failures.length === 1 &&
    operation.sizeField === failure.path[0] &&
    failure.code === 'too_big'
  ) {
    throw new ApiError('file_too_large', { issues: issuesOf(failures) });
  }
  const tell = operation.neverEchoes ? (issue: z.core.$ZodIssue) => toSilentIssues(issue, sent) : undefined;
  throw new ApiError(code, { reason: 'invalid_input', issues: issuesOf(failures, tell) });
}

/**
 * Parses the query and path parameters of a request.
 * @throws ApiError invalid_input (400)
 */
export function readAddress<Schema extends z.ZodObject>(
  schema: Schema,
  { url }: Pick<ApiRequest, 'url'>,
  params: Record<string, string | string[] | undefined>,
): z.output<Schema> {
  const sent = { ...Object.fromEntries(new URL(url).searchParams), ...params };
  const parsed = schema.safeParse(withoutEmptyFields(schema, sent));
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error.issues);
  throw invalidInput(issues);
}

function parseJson(bytes: Uint8Array, code: CodeWithPayment<'none'>): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    const issues = [{ path: 'body', rule: 'must be JSON in UTF-8' }];
    throw new ApiError(code, { reason: 'invalid_json', issues });
  }
}

/** Operations without a body also accept an empty object, because some clients always send one. */
function refuseBody(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes).toString('latin1').trim();
  if (text !== '' && text !== '{}') {
    const issues = [{ path: 'body', rule: 'must be empty: this call takes no body' }];
    throw invalidInput(issues);
  }
  return {};
}

/**
 * Reads the body of a request, up to a limit.
 * @throws ApiError body_too_large (413)
 */
export async function readBytes(
  request: Pick<ApiRequest, 'headers' | 'body'>,
  bytesMax = usualBodyBytesMax,
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw new ApiError('body_too_large');
  if (!request.body) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.byteLength;
    if (length > bytesMax) throw new ApiError('body_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The headers of a request, however its host keeps them. */
export interface WithHeader {
  header(name: string): string | null | undefined;
}

/** The size that a body of unknown length counts as. */
const unknownBytes = 1_048_576;

/** The announced length of a request's body. */
export function bytesOf({ header }: WithHeader): number {
  if (header('transfer-encoding')) return unknownBytes;
  const length = Number(header('content-length') ?? 0);
  return Number.isFinite(length) ? length : unknownBytes;
}

/** Hashes what a payment is bound to: the operation and its canonical input. Key order and spacing do not matter. */
export function requestHash(operation: Operation, input: unknown): Buffer {
  return createHash('sha256').update(operation.id).update('\0').update(canonicalJson(input)).digest();
}

/** JSON whose text does not depend on the order of keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
