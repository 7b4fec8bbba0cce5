import { operations } from '@/lib/catalog';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation } from '@/lib/catalog/operation';
import { toAtomic } from '@/lib/payments/money';
import type { Site } from './openapi/site';

/** Code that can be copied and run, made from the examples of the catalog. Tests run what is made here. */

/** A path with the values of an example in place of its segments. */
function filledIn(path: string, params: Readonly<Record<string, unknown>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

/** The call of a path with curl: a priced one answers 402, with what it costs. */
export function curl(
  operation: Pick<Operation | FreeOperation, 'method' | 'example'>,
  path: string,
  { publicUrl }: Pick<Site, 'publicUrl'>,
): string {
  const { params, body = {} } = operation.example as { params: Record<string, unknown>; body?: object };
  const url = publicUrl + filledIn(path, params);
  const method = operation.method === 'GET' ? '' : ` -X ${operation.method}`;
  const sent = Object.keys(body).length > 0 ? `${contentType} -d ${quoted(JSON.stringify(body))}` : '';
  return `curl -i${method} ${quoted(url)}${sent}`;
}

const contentType = " \\\n  -H 'Content-Type: application/json' \\\n ";

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The least that shows a whole paid call: the cheapest operation that takes a body and no id, and needs no provider. */
export function firstOperation(): Operation {
  const [cheapest] = operations
    .filter(({ takesBody, paths, providers }) => takesBody && !providers && !paths.x402.includes('{'))
    .sort((one, other) => Number(toAtomic(one.price) - toAtomic(other.price)));
  if (!cheapest) throw new Error('nothing is sold');
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
const pay = wrapFetchWithPayment(fetch, client);

const answer = await pay('${publicUrl}${paths.x402}', {
  method: '${method}',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(${JSON.stringify(example.body)}),
});
console.log(answer.status, await answer.json());
`;
}
