import { operations } from '@/lib/catalog';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import { type Operation, pathWith } from '@/lib/catalog/operation';
import { toAtomic } from '@/lib/payments/money';
import type { Site } from './site-config';

/** Code samples made from the examples of the catalog. Tests run them. */

/** A call of a path with curl. A paid call returns 402 with its price. */
export function curl(
  operation: Pick<Operation | FreeOperation, 'method' | 'example'>,
  path: string,
  { publicUrl }: Pick<Site, 'publicUrl'>,
): string {
  const { params, body = {} } = operation.example as { params: Record<string, unknown>; body?: object };
  const url = publicUrl + pathWith(path, params);
  const method = operation.method === 'GET' ? '' : ` -X ${operation.method}`;
  const sent = Object.keys(body).length > 0 ? `${contentType} -d ${quoted(jsonText(body))}` : '';
  return `curl -i${method} ${quoted(url)}${sent}`;
}

/** A longer body has a line for each field, so that it can be read without scrolling. */
function jsonText(body: object): string {
  const text = JSON.stringify(body);
  return text.length > 40 ? JSON.stringify(body, null, 2) : text;
}

const contentType = " \\\n  -H 'Content-Type: application/json' \\\n ";

/** A paid call of a path with the program of the guide to x402. */
export function payment({ method, example, takesBody }: Operation, path: string): string {
  const sent = takesBody ? ` ${quoted(JSON.stringify(example.body))}` : '';
  return `node pay.mjs ${method} ${quoted(pathWith(path, example.params))}${sent}`;
}

/** Quotes text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The operation for the first sample: the cheapest one that takes a body and no ID, and needs no provider. */
export function firstOperation(): Operation {
  const [cheapest] = operations
    .filter(({ takesBody, paths, providers }) => takesBody && !providers && !paths.x402.includes('{'))
    .sort((one, other) => Number(toAtomic(one.price) - toAtomic(other.price)));
  if (!cheapest) throw new Error('The catalog has no operation for the first sample.');
  return cheapest;
}

/** A program that makes a first paid call with the official x402 client. */
export function firstProgram({ publicUrl }: Pick<Site, 'publicUrl'>): string {
  const { method, paths, example } = firstOperation();
  return `// npm install @x402/fetch @x402/evm viem
// PRIVATE_KEY=0x… node first-call.mjs
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';

const wallet = privateKeyToAccount(process.env.PRIVATE_KEY);
const client = new x402Client().register('eip155:*', new ExactEvmScheme(wallet));
const fetchAndPay = wrapFetchWithPayment(fetch, client);

const response = await fetchAndPay('${publicUrl}${paths.x402}', {
  method: '${method}',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(${JSON.stringify(example.body)}),
});
console.log(response.status, await response.json());
`;
}
