import { type ApiError, invalidInput } from '@/lib/catalog/errors/api-error';

/** Error codes of JSON-RPC 2.0 and of MCP. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The HTTP request around the message was refused. */
  refused: -32000,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

interface Details {
  /** HTTP status; if left out, the one that the message's revision has for errors. */
  readonly status?: number;
  readonly message?: string;
  /** Fields of `data` in addition to those of the error body. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A JSON-RPC error. Its `data` is the service's usual error. Nothing is charged for a message that gets one. */
export class RpcError extends Error {
  readonly code: number;
  readonly status: number | null;
  readonly reason: ApiError;
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: number, reason: ApiError, { status, message, data = {}, headers = {} }: Details = {}) {
    super(message ?? messageOf(reason), { cause: reason.cause });
    this.code = code;
    this.status = status ?? null;
    this.reason = reason;
    this.data = data;
    this.headers = headers;
  }
}

/** An error about one field of the message. The path begins at the message, such as `params.name`. */
export function invalidField(
  code: number,
  path: string,
  rule: string,
  details: Omit<Details, 'message'> = {},
): RpcError {
  return new RpcError(code, invalidInput([{ path, rule }]), details);
}

/** The first issue, because many clients show nothing but the message. */
function messageOf({ message, issues: [first] }: ApiError): string {
  return first ? `${first.path} ${first.rule}` : message;
}
