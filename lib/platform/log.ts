import { format, stripVTControlCharacters } from 'node:util';
import { type Logger, pino } from 'pino';
import type { Settings } from './settings';
import type { Siblings } from './siblings';

export type { Logger } from 'pino';

/**
 * The structured log. It gets ids, states, codes and durations, never headers, bodies, signatures or keys. Errors of libraries
 * go through `describeError`.
 * @param siblings with them, every entry has the number of this process
 */
export function createLog(
  { LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>,
  siblings: Pick<Siblings, 'number'> | null = null,
): Logger {
  return pino({ level: LOG_LEVEL, base: siblings ? { process: siblings.number } : undefined });
}

/** The level at which the log records what is printed with a method of `console`. */
const consoleLevels = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;

/** Records in the log what libraries print with `console`, the framework among them, so that every line is an entry. */
export function logConsole(log: Logger): void {
  for (const method of ['debug', 'log', 'info', 'warn', 'error'] as const) {
    console[method] = (...printed: unknown[]) =>
      log[consoleLevels[method]](stripVTControlCharacters(format(...printed)).trim());
  }
}

/**
 * The loggable parts of a library's error: class, code and the line with the reason, without anything that looks like a key, a
 * signature or calldata. Libraries put whole requests into their messages.
 */
export function describeError(error: unknown): { name: string; code?: string; message: string } {
  if (!(error instanceof Error)) return { name: typeof error, message: 'not an Error' };
  const lines = error.message.split('\n').filter((line) => line.trim() !== '');
  // Prisma begins with the name of its own function, and ends with the reason.
  const line = (/^Invalid `/.test(lines[0] ?? '') ? lines.at(-1) : lines[0]) ?? '';
  const message = line
    .trim()
    .slice(0, 300)
    .replaceAll(/0x[0-9a-fA-F]{41,}/g, '0x…')
    .replaceAll(/[A-Za-z0-9+/=_-]{60,}/g, '…')
    .replaceAll(/https?:\/\/[^\s"']+/g, 'URL');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { name: error.name, code, message };
}
