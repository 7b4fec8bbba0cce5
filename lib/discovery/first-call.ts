import { operations } from '@/lib/catalog';
import { about } from '@/lib/catalog/about';
import type { Operation } from '@/lib/catalog/operation';
import { toolNameOf } from '@/lib/catalog/tool-words';
import { toAtomic } from '@/lib/payments/money';
import { offersOf } from './openapi/payment-info';
import { curl, paidInTerminal } from './samples';
import type { Site } from './site-config';
import { pythonPath } from './typed-clients/python';

/** The first sample that a newcomer sees: one call, first without a payment and then with one. Tests run it. */

export interface FirstCall {
  /** For highlighting, such as `bash`. */
  readonly language: string;
  readonly label: string;
  readonly unpaid: string;
  readonly paid: string;
}

type Origin = Pick<Site, 'publicUrl'>;

/** The operation for the first sample: the cheapest one that takes a body and no ID, and needs no provider. */
export function firstOperation(): Operation {
  const [cheapest] = operations
    .filter(({ takesBody, paths, providers }) => takesBody && !providers && !paths.x402.includes('{'))
    .sort((one, other) => Number(toAtomic(one.price) - toAtomic(other.price)));
  if (!cheapest) throw new Error('The catalog has no operation for the first sample.');
  return cheapest;
}

/** The first call in every language, by its name. */
export function firstCalls(site: Origin): Readonly<Record<string, FirstCall>> {
  return {
    curl: {
      language: 'bash',
      label: 'curl',
      unpaid: curl(firstOperation(), firstOperation().paths.x402, site),
      // curl cannot sign, so the guide's program does.
      paid: paidInTerminal(firstOperation(), site.publicUrl),
    },
    typescript: {
      language: 'typescript',
      label: 'TypeScript',
      unpaid: `const response = await fetch(${request(site)});
console.log(response.status, await response.json());`,
      paid: paidInTypeScript(site),
    },
    python: {
      language: 'python',
      label: 'Python',
      unpaid: unpaidInPython(site),
      paid: paidInPython(site),
    },
  };
}

/** The same call by an AI assistant over MCP. */
export interface AssistantCall {
  /** What connects an assistant, as JSON. */
  readonly config: string;
  /** What a person writes. */
  readonly prompt: string;
  /** The name of the tool that the assistant calls then. */
  readonly tool: string;
}

export function assistantCall({ publicUrl }: Origin): AssistantCall {
  const first = firstOperation();
  const [wanted] = Object.values(first.example.body);
  return {
    config: `{ "mcpServers": { "${about.name.toLowerCase()}": {
  "type": "http",
  "url": "${publicUrl}/mcp"
} } }`,
    prompt: `${first.title} for “${wanted}”. Pay at most ${first.price} USDC.`,
    tool: toolNameOf(first),
  };
}

/** The arguments of `fetch`. */
function request({ publicUrl }: Origin): string {
  const { method, paths, example } = firstOperation();
  return `'${publicUrl}${paths.x402}', {
  method: '${method}',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(${JSON.stringify(example.body)}),
}`;
}

function paidInTypeScript({ publicUrl }: Origin): string {
  const { id, method, paths, example } = firstOperation();
  return `// npm install @x402/fetch @x402/evm viem
import { createHmac } from 'node:crypto';
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';

const { PRIVATE_KEY = '', KEY } = process.env;
const account = privateKeyToAccount(PRIVATE_KEY as \`0x\${string}\`);
const client = new x402Client().register('eip155:*', new ExactEvmScheme(account));
const fetchAndPay = wrapFetchWithPayment(fetch, client);

const body = JSON.stringify(${JSON.stringify(example.body)});
// One key for each thing you buy, the same key on every retry. Set KEY to buy the same again.
const key = KEY ?? createHmac('sha256', PRIVATE_KEY).update(\`${id} \${body}\`).digest('hex');
try {
  const response = await fetchAndPay('${publicUrl}${paths.x402}', {
    method: '${method}',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body,
  });
  console.log(response.status, await response.json());
} catch (error) {
  console.error(\`No response (\${error}). You may have been charged. Run this again, which is never charged twice. Its KEY is \${key}\`);
  process.exitCode = 1;
}`;
}

function unpaidInPython({ publicUrl }: Origin): string {
  const { paths, example } = firstOperation();
  return `import urllib.error, urllib.request

try:
    urllib.request.urlopen(urllib.request.Request(
        "${publicUrl}${paths.x402}",
        headers={"Content-Type": "application/json"},
        data=b'${JSON.stringify(example.body)}',
    ))
except urllib.error.HTTPError as answer:
    print(answer.status, answer.read().decode())`;
}

function paidInPython({ publicUrl }: Origin): string {
  const { id, example } = firstOperation();
  return `# pip install eth-account
# curl -sSO ${publicUrl}${pythonPath}
import os
from eth_account import Account
from tuppence import Tuppence, Wallet

account = Account.from_key(os.environ["PRIVATE_KEY"])
sign = lambda data: account.sign_typed_data(full_message=data).signature.hex()
wallet = Wallet(account.address, lambda data: "0x" + sign(data).removeprefix("0x"))

# One key for each thing you buy, the same key on every retry: this one follows from the call. Run it again if the response is lost.
tuppence = Tuppence(wallet=wallet, key_secret=os.environ["PRIVATE_KEY"])
print(tuppence.${id.replaceAll('.', '_')}(${JSON.stringify(example.body)}, idempotency_key=os.environ.get("KEY")))`;
}

/** The response to the unpaid call, in few lines. Where it is shortened, it has an ellipsis. */
export function unpaidResponse(site: Site): string {
  const [first, ...others] = offersOf('x402', site);
  const amount = toAtomic(firstOperation().price).toString();
  const more = others.length > 0 ? `,\n  … ${others.length} more networks` : '';
  return `HTTP/1.1 402 Payment Required
PAYMENT-REQUIRED: eyJ4NDAyVmVyc2lvbiI6Mi…

{ "accepts": [
  { "network": "${first?.network.caip2}", "amount": "${amount}",
    "payTo": "${first?.payTo}", … }${more}
], … }`;
}

/** The response to the paid call. */
export function paidResponse(): string {
  return `HTTP/1.1 200 OK
Paid-Call-Id: pc_…
PAYMENT-RESPONSE: eyJ…

${JSON.stringify(firstOperation().example.output, null, 2)}`;
}
