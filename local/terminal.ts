const isPlain = !process.stdout.isTTY || Boolean(process.env.NO_COLOR);
const paint = (code: number) => (text: string) => (isPlain ? text : `\u001b[${code}m${text}\u001b[0m`);

export const bold = paint(1);
export const dim = paint(2);
const green = paint(32);
const red = paint(31);

// Whoever reads along may stop reading; that is no reason to stop.
process.stdout.on('error', () => undefined);

/** Writes a line to standard output. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** A finished step: what it was and how long it took. */
export function printStep(words: string, elapsedMs: number): void {
  print(`  ${green('✓')} ${words.padEnd(58)} ${dim(`${(elapsedMs / 1000).toFixed(1)} s`)}`);
}

/** What went wrong, in the words of the error. */
export function printFailure(error: unknown): void {
  print(`\n${red('✗')} ${error instanceof Error ? error.message : String(error)}`);
}
