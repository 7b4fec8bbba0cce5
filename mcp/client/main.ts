import { about } from '@/lib/catalog/about';
import { client, clientCommands, clientExitCodes } from '@/lib/catalog/client';
import { idempotencyKey } from '@/lib/catalog/idempotency-key';
import { openStateFile } from '../account/state-file';
import type { Adapter } from '../adapter';
import { readSettings } from '../settings';
import { refuse } from '../tool-error';
import { describeFailure } from './failure';
import { commandHelp, programHelp } from './help';
import { type CommandLine, parseCommandLine } from './options';
import { printable } from './print';
import { runCommand } from './run';
import { readPayer } from './settings';

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
