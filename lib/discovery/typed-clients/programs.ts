import type { Site } from '../site-config';
import { type ClientMethod, camelCase, exampleOf } from './methods';
import { literal, pythonPath } from './python';
import { typescriptPath } from './typescript';

/** Whole programs that make the example call of an operation with a typed client. */

type Origin = Pick<Site, 'publicUrl'>;
/** Who runs the program: someone with a wallet, with an account, or nobody in particular. */
type Caller = 'wallet' | 'signed-in wallet' | 'account' | 'nobody';

function callerOf({ operation }: ClientMethod): Caller {
  if ('price' in operation) return 'wallet';
  if (operation.access === undefined || operation.access === 'readToken') return 'nobody';
  return operation.access === 'account' ? 'account' : 'signed-in wallet';
}

const keyOption = `{ idempotencyKey: process.env.KEY }`;

/** A program in TypeScript. Node 22.18 or later runs it as it is; earlier versions with `npx tsx`. */
export function typescriptProgram(method: ClientMethod, { publicUrl }: Origin): string {
  const caller = callerOf(method);
  const { install, imports, client } = typescriptSetUps[caller];
  const example = exampleOf(method);
  const input =
    Object.keys(example).length === 0 ? '' : JSON.stringify(example, null, 2).replaceAll('\n', '\n  ');
  const isPaid = caller === 'wallet';
  const call = `tuppence.${camelCase(method.name)}(${input}${isPaid ? `${input ? ', ' : '{}, '}${keyOption}` : ''})`;
  return `${install.map((line) => `// ${line}\n`).join('')}// curl -sSO ${publicUrl}${typescriptPath}
${imports}import { Tuppence, TuppenceError } from './tuppence.mts';

${client}
try {
  const response = await ${call};
  console.log(response);
} catch (error) {
  if (!(error instanceof TuppenceError)) throw error;
  // \`payment\` says what happened to the money, \`retry\` what to do.
  console.error(error.failure);
${isPaid ? failedPaid : ''}  process.exitCode = 1;
}
`;
}

interface SetUp {
  readonly install: readonly string[];
  readonly imports: string;
  readonly client: string;
}

const payingImports = `import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
`;
const walletLine = `const wallet = privateKeyToAccount(process.env.PRIVATE_KEY as \`0x\${string}\`);`;
const failedPaid = `  if (error.failure.retry === 'same_request') console.error(\`Run this again with KEY=\${error.idempotencyKey}\`);
`;

const typescriptSetUps: Readonly<Record<Caller, SetUp>> = {
  wallet: {
    install: ['npm install @x402/fetch @x402/evm viem'],
    imports: payingImports,
    client: `${walletLine}
const client = new x402Client().register('eip155:*', new ExactEvmScheme(wallet));
// One key for each thing you buy, the same key on every retry. With keySecret, it follows from the call and its input: run this again
// after a lost response, and you are not charged again. To buy the same again, set KEY to a new value.
const tuppence = new Tuppence({ fetch: wrapFetchWithPayment(fetch, client), keySecret: process.env.PRIVATE_KEY });
`,
  },
  'signed-in wallet': {
    install: ['npm install @x402/fetch @x402/evm @x402/extensions viem'],
    imports: `import { createSIWxClientExtension } from '@x402/extensions/sign-in-with-x';\n${payingImports}`,
    client: `${walletLine}
const client = new x402Client().register('eip155:*', new ExactEvmScheme(wallet));
client.registerExtension(createSIWxClientExtension({ signers: [wallet] }));
const tuppence = new Tuppence({ fetch: wrapFetchWithPayment(fetch, client) });
`,
  },
  account: {
    install: [],
    imports: '',
    client: `const tuppence = new Tuppence({ accountToken: process.env.ACCOUNT_TOKEN });
`,
  },
  nobody: { install: [], imports: '', client: 'const tuppence = new Tuppence();\n' },
};

/** A program in Python; null for an operation that the Python client does not have. */
export function pythonProgram(method: ClientMethod, { publicUrl }: Origin): string | null {
  const caller = callerOf(method);
  if (caller === 'signed-in wallet') return null;
  const { install, imports, client } = pythonSetUps[caller];
  const example = exampleOf(method);
  const input = Object.keys(example).length === 0 ? '' : literal(example, '    ');
  const isPaid = caller === 'wallet';
  const call = `tuppence.${method.name}(${[input, isPaid ? 'idempotency_key=os.environ.get("KEY")' : ''].filter(Boolean).join(', ')})`;
  return `${install}# curl -sSO ${publicUrl}${pythonPath}
${imports}from tuppence import Tuppence, TuppenceError${isPaid ? ', Wallet' : ''}

${client}
try:
    print(${call})
except TuppenceError as error:
    # \`payment\` says what happened to the money, \`retry\` what to do.
    raise SystemExit(f"{error}${isPaid ? ' KEY={error.idempotency_key}' : ''}")
`;
}

const pythonSetUps: Readonly<Record<Exclude<Caller, 'signed-in wallet'>, SetUpInPython>> = {
  wallet: {
    install: '# pip install eth-account\n',
    imports: `import os

from eth_account import Account

`,
    client: `account = Account.from_key(os.environ["PRIVATE_KEY"])
wallet = Wallet(account.address, lambda data: "0x" + bytes(account.sign_typed_data(full_message=data).signature).hex())
# One key for each thing you buy, the same key on every retry. With key_secret, it follows from the call and its input: run this again
# after a lost response, and you are not charged again. To buy the same again, set KEY to a new value.
tuppence = Tuppence(wallet=wallet, key_secret=os.environ["PRIVATE_KEY"])
`,
  },
  account: {
    install: '',
    imports: 'import os\n\n',
    client: 'tuppence = Tuppence(account_token=os.environ["ACCOUNT_TOKEN"])\n',
  },
  nobody: { install: '', imports: '', client: 'tuppence = Tuppence()\n' },
};

interface SetUpInPython {
  readonly install: string;
  readonly imports: string;
  readonly client: string;
}
