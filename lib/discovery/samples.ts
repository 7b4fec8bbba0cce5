import type { FreeOperation } from '@/lib/catalog/free-operation';
import { type Operation, pathWith } from '@/lib/catalog/operation';
import type { Site } from './site-config';

/** Code samples made from the examples of the catalog. Tests run them. */

/** A call of a path with curl. A paid call returns 402 with its price. */
export function curl(
  operation: Operation | FreeOperation,
  path: string,
  { publicUrl }: Pick<Site, 'publicUrl'>,
): string {
  const { params, body = {} } = operation.example as { params: Record<string, unknown>; body?: object };
  const url = publicUrl + pathWith(path, params);
  const method = operation.method === 'GET' ? '' : ` -X ${operation.method}`;
  const sent = Object.keys(body).length > 0 ? `${contentType} -d ${quoted(jsonText(body))}` : '';
  return `curl -i${method} ${quoted(url)}${authorization(operation, path)}${sent}`;
}

/** The token that a call needs, and the key that a call from an account needs. Readers set the variables. */
function authorization(operation: Operation | FreeOperation, path: string): string {
  const token = (name: string) => ` \\\n  -H "Authorization: Bearer $${name}"`;
  if ('paths' in operation) {
    const isFromAccount = path === operation.paths.account;
    return isFromAccount ? `${token('ACCOUNT_TOKEN')} \\\n  -H "Idempotency-Key: $KEY"` : '';
  }
  const { access } = operation;
  if (access === 'account') return token('ACCOUNT_TOKEN');
  return access === 'readToken' ? token('READ_TOKEN') : '';
}

/** A longer body has a line for each field, indented below its option, so that it can be read without scrolling. */
function jsonText(body: object): string {
  const text = JSON.stringify(body);
  return text.length > 40 ? JSON.stringify(body, null, 2).replaceAll('\n', '\n  ') : text;
}

const contentType = " \\\n  -H 'Content-Type: application/json' \\\n ";

/** A paid call of a path with the program of the guide to x402. */
export function payment({ method, example, takesBody }: Operation, path: string): string {
  const sent = takesBody ? ` ${quoted(JSON.stringify(example.body))}` : '';
  return `node pay.mjs ${method} ${quoted(pathWith(path, example.params))}${sent}`;
}

/** The same from nothing: what the program needs, and the call. */
export function paidInTerminal(operation: Operation, publicUrl: string): string {
  return `# A short program that signs with your key
curl -sSO ${publicUrl}/docs/pay.mjs
npm install @x402/fetch @x402/evm viem

export BASE_URL=${publicUrl} PRIVATE_KEY=0x…
${payment(operation, operation.paths.x402)}`;
}

/** Quotes text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
