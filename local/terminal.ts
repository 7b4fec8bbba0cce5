import { styleText } from 'node:util';

// Whoever reads the pipe may close it; the demo goes on.
process.stdout.on('error', () => undefined);

// No colors where standard output is not a terminal or NO_COLOR is set.
export const bold = (text: string): string => styleText('bold', text);
export const dim = (text: string): string => styleText('dim', text);

/** Writes a line to standard output. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** A finished step: its name and how long it took. */
export function printStep(label: string, elapsedMs: number): void {
  print(`  ${styleText('green', '✓')} ${label.padEnd(58)} ${dim(`${(elapsedMs / 1000).toFixed(1)} s`)}`);
}

/** Why something failed: the message of the error. */
export function printFailure(error: unknown): void {
  print(`\n${styleText('red', '✗')} ${error instanceof Error ? error.message : String(error)}`);
}
