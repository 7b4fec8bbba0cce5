import { once } from 'node:events';
import { createApp } from '@/lib/app';
import { audit } from '@/lib/operator/commands/audit';
import { book } from '@/lib/operator/commands/book';
import { calls } from '@/lib/operator/commands/calls';
import { channels } from '@/lib/operator/commands/channels';
import { type Command, type CommandContext, UsageError } from '@/lib/operator/commands/command';
import { doctor } from '@/lib/operator/commands/doctor';
import { exportCommand } from '@/lib/operator/commands/export';
import { keep } from '@/lib/operator/commands/keep';
import { preconfirmations } from '@/lib/operator/commands/preconfirmations';
import { receipt } from '@/lib/operator/commands/receipt';
import { refund } from '@/lib/operator/commands/refund';
import { takedown } from '@/lib/operator/commands/takedown';
import { worklist } from '@/lib/operator/commands/worklist';
import { createLog } from '@/lib/platform/log';

const commands: readonly Command[] = [
  doctor,
  worklist,
  calls,
  refund,
  book,
  keep,
  takedown,
  receipt,
  exportCommand,
  preconfirmations,
  channels,
  audit,
];

const usage = `Usage: tuppence COMMAND

${commands.map(({ synopsis, help }) => [synopsis, ...help.map((line) => `  ${line}`)].join('\n')).join('\n\n')}

Settings are read from the environment. Exit codes: 0 all well, 1 something is wrong, 2 wrong usage.`;

const context: CommandContext = {
  env: process.env,
  hasColor: process.stdout.isTTY === true && !process.env.NO_COLOR,
  print: (line) => console.log(line),
  write: async (text) => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  },
  printError: (line) => console.error(line),
  // What commands find out, they print.
  openApp: (settings) => createApp({ settings, log: createLog({ LOG_LEVEL: 'silent' }) }),
};

/** The operator's command line. Results go to standard output, errors to standard error. @returns the exit code */
async function main([name = '', ...args]: readonly string[]): Promise<number> {
  const command = commands.find(({ synopsis }) => synopsis.split(' ')[0] === name);
  try {
    if (!command)
      throw new UsageError(name === '' ? 'A command is missing.' : `There is no command ${name}.`);
    return await command.run(args, context);
  } catch (error) {
    if (!isUsageError(error)) throw error;
    console.error(`${error.message}\n\n${usage}`);
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
