import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Operation } from '@/lib/catalog/operation';
import { ApiError } from '@/lib/errors/api-error';
import type { CodeWithPayment } from '@/lib/errors/codes';
import { toIssues } from '@/lib/errors/issues';

/** JSON bodies of the catalog are small unless an operation says otherwise; a larger one is a mistake or an attack. */
export const usualBodyBytesMax = 64 * 1024;

/** What says how a request has to look: the parts of an operation that are about its input. */
type Asked = Pick<Operation, 'params' | 'body' | 'takesBody'> &
  Partial<Pick<Operation, 'codes' | 'sizeField'>>;
type InputOf<Op extends Asked> = z.output<Op['params']> & z.output<Op['body']>;

/**
 * Turns path and body of a request for an operation, sold or free, into its typed input.
 * @throws ApiError invalid_input, or the operation's own code for it (400), or file_too_large (413)
 */
export function readInput<Op extends Asked>(
  operation: Op,
  bytes: Uint8Array,
  params: Record<string, string | string[] | undefined>,
): InputOf<Op> {
  const code = operation.codes?.invalidInput ?? 'invalid_input';
  const body = operation.takesBody ? parseJson(bytes, code) : refuseBody(bytes);
  const parsedParams = operation.params.safeParse(params);
  const parsedBody = operation.body.safeParse(body);
  const failures = [...(parsedParams.error?.issues ?? []), ...(parsedBody.error?.issues ?? [])];
  if (parsedParams.data && parsedBody.data) {
    // Both halves were parsed by the operation's own schemas.
    return { ...parsedParams.data, ...parsedBody.data } as InputOf<Op>;
  }
  const [failure] = failures;
  if (
    failure &&
    failures.length === 1 &&
    operation.sizeField === failure.path[0] &&
    failure.code === 'too_big'
  ) {
    throw new ApiError('file_too_large', { issues: failures.flatMap(toIssues) });
  }
  throw new ApiError(code, { reason: 'invalid_input', issues: failures.flatMap(toIssues) });
}

/**
 * What a request says in its address: after the question mark, and in the segments of the path.
 * @throws ApiError invalid_input (400)
 */
export function readAddress<Schema extends z.ZodObject>(
  schema: Schema,
  { url }: Pick<Request, 'url'>,
  params: Record<string, string | string[] | undefined>,
): z.output<Schema> {
  const parsed = schema.safeParse({ ...Object.fromEntries(new URL(url).searchParams), ...params });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap(toIssues);
  throw new ApiError('invalid_input', { reason: 'invalid_input', issues });
}

function parseJson(bytes: Uint8Array, code: CodeWithPayment<'none'>): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    const issues = [{ path: 'body', rule: 'must be JSON in UTF-8' }];
    throw new ApiError(code, { reason: 'invalid_json', issues });
  }
}

/** An operation without a body takes nothing, or an empty object: some clients always send one. */
function refuseBody(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes).toString('latin1').trim();
  if (text !== '' && text !== '{}') {
    const issues = [{ path: 'body', rule: 'must be empty: this call takes no body' }];
    throw new ApiError('invalid_input', { reason: 'invalid_input', issues });
  }
  return {};
}

/**
 * The bytes of a request's body, at most so many.
 * @throws ApiError body_too_large (413)
 */
export async function readBytes(request: Request, bytesMax = usualBodyBytesMax): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw new ApiError('body_too_large');
  if (!request.body) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    length += value.byteLength;
    if (length > bytesMax) {
      await reader.cancel();
      throw new ApiError('body_too_large');
    }
    chunks.push(value);
  }
}

/** What an authorization is bound to: the operation and its canonical input. Key order and spacing do not count. */
export function requestHash(operation: Operation, input: unknown): Buffer {
  return createHash('sha256').update(operation.id).update('\0').update(canonicalJson(input)).digest();
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
