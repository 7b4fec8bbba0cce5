import { audit } from './audit';
import { book } from './book';
import { calls } from './calls';
import type { Command } from './command';
import { decline } from './decline';
import { doctor } from './doctor';
import { erase } from './erase';
import { exportCommand } from './export';
import { keep } from './keep';
import { providers } from './providers';
import { receipt } from './receipt';
import { refund } from './refund';
import { rehearseRestore } from './rehearse-restore';
import { takedown } from './takedown';
import { worklist } from './worklist';

/** The commands of the operator's program, in the order of its usage. @param ofFeatures those of optional features */
export const commandsWith = (ofFeatures: readonly Command[]): readonly Command[] => [
  doctor,
  providers,
  worklist,
  calls,
  refund,
  decline,
  book,
  keep,
  takedown,
  erase,
  receipt,
  exportCommand,
  ...ofFeatures,
  audit,
  rehearseRestore,
];

/** What a command does, its arguments and the values that they accept. */
function helpOf({ synopsis, help }: Command): string {
  return [synopsis, ...help.map((line) => `  ${line}`)].join('\n');
}

const common = `Every command that records what it does takes --operator NAME, for the log of actions: who you are, besides the system user.
--help shows this, or after a command what that command takes. Settings are read from the environment. Results go to
standard output, everything else to standard error. Exit codes: 0 all well, 1 something is wrong or could not be done,
2 wrong usage.`;

export const usageOfAll = (commands: readonly Command[]): string => `Usage: tuppence COMMAND

${commands.map(helpOf).join('\n\n')}

${common}`;

export function usageOf(command: Command): string {
  return `Usage: tuppence ${helpOf(command)}\n\n${common}`;
}
