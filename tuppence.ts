import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { createApp } from '@/lib/app';
import { features } from '@/lib/app/features';
import { commandsWith, usageOf, usageOfAll } from '@/lib/operator/commands';
import { type CommandContext, UsageError } from '@/lib/operator/commands/command';
import { takeOperator } from '@/lib/operator/commands/system-operator';
import { createLog } from '@/lib/platform/log';

const commands = commandsWith(features.flatMap((feature) => feature.commands));
const usage = usageOfAll(commands);

const context: Omit<CommandContext, 'operator'> = {
  env: process.env,
  hasColor: process.stdout.isTTY === true && !process.env.NO_COLOR,
  print: (line) => console.log(line),
  write: async (text) => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  },
  read: (file) => (file === '-' ? text(process.stdin) : readFile(file, 'utf8')),
  printError: (line) => console.error(line),
  // What commands find out, they print.
  openApp: (settings) => createApp({ settings, log: createLog({ LOG_LEVEL: 'silent' }) }),
};

const isHelp = (arg: string) => arg === '--help' || arg === '-h';

/** The operator's command line. Results go to standard output, errors to standard error. @returns the exit code */
async function main([name = '', ...args]: readonly string[]): Promise<number> {
  const command = commands.find(({ synopsis }) => synopsis.split(' ')[0] === name);
  if (isHelp(name) || (command && args.some(isHelp))) {
    console.log(command ? usageOf(command) : usage);
    return 0;
  }
  try {
    if (!command)
      throw new UsageError(name === '' ? 'A command is missing.' : `There is no command ${name}.`);
    const { operator, args: rest } = takeOperator(args);
    return await command.run(rest, { ...context, operator });
  } catch (error) {
    if (!isUsageError(error)) throw error;
    console.error(`${error.message}\n\n${command ? usageOf(command) : usage}`);
    return 2;
  }
}

/** Ours, or that of Node's parser of arguments. */
function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has seen enough, as `head` has.
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

main(process.argv.slice(2)).then(
  // Kept connections would delay the end.
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
