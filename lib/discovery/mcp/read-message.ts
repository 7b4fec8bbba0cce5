import { invalidInput } from '@/lib/catalog/errors/api-error';
import { isJsonObject } from '@/lib/platform/json';
import { invalidField, RpcError, rpcCodes } from './rpc-error';

/** A request, or a notification when it has no ID. */
export interface Message {
  readonly id: string | number | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Far more than any tool takes. Parsing deeply nested or very many values would hold up everyone else. */
const nestingMax = 64;
const valuesMax = 200_000;
const idLengthMax = 256;

/**
 * Parses the body of a request.
 * @throws RpcError when it is not JSON, or too deep or too large to be parsed
 */
export function parseBody(bytes: Uint8Array): unknown {
  refuseHeavy(bytes);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new RpcError(rpcCodes.parseError, invalidInput([{ path: 'body', rule: 'must be JSON in UTF-8' }]));
  }
}

/** The ID that the response to a body is sent under; null when there is none, or none that can be read. */
export function idOf(body: unknown): Message['id'] {
  return isJsonObject(body) && isId(body.id) ? body.id : null;
}

/**
 * Reads a JSON-RPC message.
 * @throws RpcError invalid request, naming the field
 */
export function readMessage(body: unknown): Message {
  if (Array.isArray(body)) {
    throw invalidField(rpcCodes.invalidRequest, 'body', 'must be one message: batches are not supported');
  }
  if (!isJsonObject(body)) throw invalidField(rpcCodes.invalidRequest, 'body', 'must be a JSON-RPC message');
  const { jsonrpc, method } = body;
  const params = body.params ?? {};
  if (jsonrpc !== '2.0') throw invalidField(rpcCodes.invalidRequest, 'jsonrpc', 'must be "2.0"');
  if ('id' in body && !isId(body.id)) {
    const rule = `must be an integer, or a string of at most ${idLengthMax} characters`;
    throw invalidField(rpcCodes.invalidRequest, 'id', rule);
  }
  if (typeof method !== 'string') throw invalidField(rpcCodes.invalidRequest, 'method', 'must be a string');
  if (!isJsonObject(params)) throw invalidField(rpcCodes.invalidRequest, 'params', 'must be an object');
  return { id: idOf(body), method, params };
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' ? id.length <= idLengthMax : Number.isSafeInteger(id);
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Counts levels and values in the text, before a parser spends time on them. */
function refuseHeavy(bytes: Uint8Array): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === comma) values += 1;
    else if (opening.has(byte)) {
      depth += 1;
      values += 1;
    } else if (closing.has(byte)) depth -= 1;
    if (depth > nestingMax) {
      throw invalidField(
        rpcCodes.invalidRequest,
        'body',
        `must not be nested more than ${nestingMax} levels deep`,
      );
    }
    if (values > valuesMax) {
      throw invalidField(rpcCodes.invalidRequest, 'body', `must not have more than ${valuesMax} values`);
    }
  }
}

/** The position of the quote that ends a string, or of the end of the text. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let escapes = 0;
    while (bytes[end - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return bytes.length;
}
