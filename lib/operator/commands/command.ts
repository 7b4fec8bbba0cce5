import type { Operator } from '@/lib/operator/actions';
import { parseSettings, type Settings } from '@/lib/platform/settings';
import type { OperatorApp } from '../operator-app';

/** What a command may use of its process. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Who runs the program, for the log of actions. */
  readonly operator: Operator;
  /** Whether standard output is a terminal that shows colors. */
  readonly hasColor: boolean;
  /** Writes a line to standard output. */
  print(line: string): void;
  /** Writes text to standard output, and waits while its reader is slower. */
  write(text: string): Promise<void>;
  /** Reads a file; `-` is standard input. */
  read(file: string): Promise<string>;
  /** Writes a line to standard error. */
  printError(line: string): void;
  /** Builds an app that logs nothing and starts nothing. */
  openApp(settings: Settings): OperatorApp & { close(): Promise<void> };
}

/** A command of the operator's program `tuppence`. */
export interface Command {
  /** Its arguments, for the usage. */
  readonly synopsis: string;
  /** What it does and its options, for the usage. */
  readonly help: readonly string[];
  /**
   * @returns 0 when all is well, 1 when it found something wrong
   * @throws UsageError when the arguments are not valid
   */
  run(args: readonly string[], context: CommandContext): Promise<0 | 1>;
}

/** Runs work with an app of the environment's settings, and closes the app. */
export async function withApp(
  { env, openApp }: CommandContext,
  work: (app: OperatorApp) => Promise<0 | 1>,
): Promise<0 | 1> {
  const app = openApp(parseSettings(env));
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** The arguments of a command are not valid. */
export class UsageError extends Error {}
