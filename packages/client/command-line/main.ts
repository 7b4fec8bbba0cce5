import { createHash } from 'node:crypto';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { about } from '@/lib/catalog/about';
import { client, clientCommands, clientExitCodes } from '@/lib/catalog/client';
import { errorBody } from '@/lib/catalog/errors/schema';
import { idempotencyKey } from '@/lib/catalog/idempotency-key';
import { accountPayer, type Payer } from '@/packages/client/calls/payer';
import { walletPayer } from '@/packages/client/wallet/payer';
import { openStateFile } from '../account/state-file';
import type { Adapter } from '../adapter/adapter';
import { readSettings } from '../settings';
import { refuse, ToolError, type ToolErrorFacts } from '../tool-error';
import { commandHelp, programHelp } from './help';
import { type CommandLine, parseCommandLine } from './options';
import { printable } from './print';
import { runCommand } from './run';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads from the environment who pays. Empty variables count as not set.
 * @returns undefined for the account of this machine
 * @throws Error that names the variable and its rule, and never repeats a secret
 */
function readPayer(
  env: Environment,
  adapter: Pick<Adapter, 'settings' | 'stateFile' | 'now'>,
): Payer | undefined {
  const key = env.TUPPENCE_WALLET_KEY?.trim();
  const token = env.TUPPENCE_ACCOUNT_TOKEN?.trim();
  if (key && token) throw new Error('Set only one of TUPPENCE_WALLET_KEY and TUPPENCE_ACCOUNT_TOKEN.');
  const network = readNetwork(env.TUPPENCE_NETWORK?.trim() || undefined);
  if (key) return walletPayer({ adapter, account: readKey(key), network });
  if (token)
    return accountPayer(adapter.settings.apiUrl, { accountId: idOf(token), token: checkToken(token) });
  return undefined;
}

function readKey(key: string): PrivateKeyAccount {
  try {
    const [, digits] = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(key) ?? [];
    return privateKeyToAccount(`0x${digits}`);
  } catch {
    // The library's error may repeat the key.
    throw new Error('TUPPENCE_WALLET_KEY must be a private key of 64 hex characters.');
  }
}

function checkToken(token: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(token)) return token;
  throw new Error('TUPPENCE_ACCOUNT_TOKEN must be the token of a prepaid account (tpt_…).');
}

/** Distinguishes accounts in the state file without storing their tokens. */
const idOf = (token: string): string =>
  `token-${createHash('sha256').update(token).digest('hex').slice(0, 32)}`;

function readNetwork(network: string | undefined): `eip155:${string}` | undefined {
  if (network === undefined) return undefined;
  if (isEvm(network)) return network;
  throw new Error('TUPPENCE_NETWORK must be an EVM network such as eip155:8453.');
}

const isEvm = (network: string): network is `eip155:${string}` => /^eip155:[1-9]\d{0,15}$/.test(network);

/** A failed command: what is wrong, what happened to the money, and what to do. */
interface Failure {
  readonly facts: ToolErrorFacts;
  /** Everything that a person needs to know, in one line. */
  readonly text: string;
  readonly exitCode: number;
}

/** Describes any error of a command. */
function describeFailure(error: unknown): Failure {
  const facts = error instanceof ToolError ? error.facts : unexpected;
  return { facts, text: textOf(facts), exitCode: exitCodeOf(facts) };
}

const unexpected: ToolErrorFacts = {
  code: 'internal_error',
  message: 'The client failed, and it is not known whether the call was charged.',
  payment: 'unknown',
  retry: 'same_request',
};

const exits = clientExitCodes;

const needMoney: readonly string[] = [
  'insufficient_balance',
  'spending_cap_reached',
  'price_above_limit',
  'lifetime_above_limit',
  'payment_refused',
];

const needRepair: readonly string[] = [
  'local_state_unusable',
  'answer_not_understood',
  'payment_not_offered',
  'settings_invalid',
  'account_token_required',
  'account_token_wrong',
];

function exitCodeOf({ code, payment, retry }: ToolErrorFacts): number {
  if (payment === 'unknown' || payment === 'in_flight') return exits.outcomeUnknown.code;
  if (payment === 'kept' && retry === 'same_request') return exits.outcomeUnknown.code;
  if (payment !== 'none') return exits.doNotRepeat.code;
  if (needMoney.includes(code)) return exits.noMoney.code;
  if (needRepair.includes(code)) return exits.cannotRun.code;
  return retry === 'fix_input' || retry === 'stop' ? exits.wrongInput.code : exits.tryLater.code;
}

function textOf(facts: ToolErrorFacts): string {
  const { code, message, issues = [] } = facts;
  const rules = issues.map(({ path, rule }) => `${path}: ${rule}.`);
  return [`${code}:`, message, ...rules, nextStep(facts)].filter(Boolean).join(' ');
}

const accountFacts = z.object(errorBody.shape.error.shape.account.unwrap().shape);

/** What to do next, in terms of commands, which the service's messages do not know about. */
function nextStep({ code, payment, retry, account }: ToolErrorFacts): string {
  if (code === 'insufficient_balance') {
    const { success, data } = accountFacts.safeParse(account);
    if (!success) return 'Ask a person to add money to the account.';
    return `The account has ${data.balance} USDC and the call costs ${data.price} USDC. Ask a person to add money at ${data.depositUrl}, then run the command again.`;
  }
  if (retry === 'same_request' || payment === 'unknown' || payment === 'in_flight')
    return 'Run the same command again; it is not charged twice.';
  return '';
}

/** Runs a command. @returns the exit code */
async function main(all: readonly string[]): Promise<number> {
  const [name = '', ...argv] = all;
  if (name === '--version') return print(`${about.version}\n`);
  if (name === '--help' || name === 'help') return print(programHelp());
  const command = clientCommands.find((one) => one.name === name);
  // Read before the command line is parsed, so that an error in it is also printed in the format that the caller wants.
  const isJson = all.includes('--json');
  try {
    if (!command) throw noCommand(name);
    const line = parseCommandLine(command, argv);
    if (line.isHelp) return await print(commandHelp(command));
    const { output, note, afterDelivery } = await runCommand(openAdapter(line), command, line);
    if (note) process.stderr.write(`${client.name}: ${note}\n`);
    const code = await print(isJson ? `${JSON.stringify(output)}\n` : printable(command, output));
    // Now that the response has been passed on, the same command is a new call.
    await afterDelivery?.().catch(() => {
      // The next such command is then a free retry. Nobody loses money.
      process.stderr.write(`${client.name}: the state file could not be updated\n`);
    });
    return code;
  } catch (error) {
    const { facts, text, exitCode } = describeFailure(error);
    if (isJson) await print(`${JSON.stringify({ error: facts })}\n`);
    else process.stderr.write(`${client.name}: ${text}\n`);
    return exitCode;
  }
}

function openAdapter({ idempotencyKey: ownKey }: CommandLine): Adapter {
  if (ownKey !== undefined && !idempotencyKey.safeParse(ownKey).success) {
    const rule = 'must be 1 to 255 visible ASCII characters';
    throw refuse('invalid_input', 'The command is not valid.', {
      issues: [{ path: '--idempotency-key', rule }],
    });
  }
  try {
    const settings = readSettings(process.env, process.platform);
    const stateFile = openStateFile(settings.configFolder, settings.apiUrl);
    const adapter = { settings, stateFile, now: () => new Date() };
    return { ...adapter, payer: readPayer(process.env, adapter), idempotencyKey: ownKey };
  } catch (error) {
    throw refuse(
      'settings_invalid',
      error instanceof Error ? error.message : 'The settings cannot be read.',
      {
        retry: 'stop',
        cause: error,
      },
    );
  }
}

function noCommand(name: string) {
  const rule = `must be one of: ${clientCommands.map((one) => one.name).join(', ')}; see ${client.name} --help`;
  const message = name === '' || name.startsWith('-') ? 'A command is missing.' : 'There is no such command.';
  return refuse('invalid_input', message, { issues: [{ path: 'command', rule }] });
}

/** Resolves when the bytes have been passed to the operating system. */
function print(text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve(clientExitCodes.done.code)));
  });
}

// Nobody reads the output any longer. The key of the call stays, so the same command gets its response.
process.stdout.on('error', () => process.exit(clientExitCodes.outcomeUnknown.code));

main(process.argv.slice(2)).then(
  // Open keep-alive connections would delay the exit.
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${client.name}: ${error instanceof Error ? error.name : 'failed'}\n`);
    process.exit(clientExitCodes.cannotRun.code);
  },
);
