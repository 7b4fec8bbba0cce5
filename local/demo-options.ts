import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isPortFree } from './free-port';
import { findReasonToRefuse } from './real-settings.mjs';
import { findStackOwner } from './stack-lock';

export type DemoOptions = {
  /** Deletes the data of earlier runs first. */
  isFresh: boolean;
  /** Exits after the tour. */
  isOnce: boolean;
  hasTour: boolean;
  /** Only checks whether the demo can start; bootstrap.mjs does this before it builds. */
  isOnlyCheck: boolean;
  port: number;
};

/** Thrown when the demo must not or cannot start. The message is for the person who started it. */
export class CannotStartError extends Error {}

export const root = fileURLToPath(new URL('..', import.meta.url));
export const dir = path.join(root, '.tuppence');
export const localFile = path.join(dir, 'local.json');

/** Reads the command line and PORT. Throws a CannotStartError if they are invalid. */
export function readDemoOptions(args: string[], environment: NodeJS.ProcessEnv): DemoOptions {
  const flag = { type: 'boolean', default: false } as const;
  let values: Record<'fresh' | 'once' | 'no-tour' | 'only-check', boolean>;
  try {
    const options = { fresh: flag, once: flag, 'no-tour': flag, 'only-check': flag };
    ({ values } = parseArgs({ args, options }));
  } catch {
    throw new CannotStartError(
      `Unknown option in "${args.join(' ')}". The options are --fresh, --once and --no-tour.`,
    );
  }
  const port = Number(environment.PORT || 3402);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new CannotStartError(`PORT must be a number from 1 to 65535, not ${environment.PORT}.`);
  }
  if (values.once && values['no-tour']) {
    throw new CannotStartError('--once exits after the tour and cannot be combined with --no-tour.');
  }
  return {
    isFresh: values.fresh,
    isOnce: values.once,
    hasTour: !values['no-tour'],
    isOnlyCheck: values['only-check'],
    port,
  };
}

/** Throws a CannotStartError if real settings are present, a demo already runs here, or the port is taken. */
export async function checkCanStart(port: number): Promise<void> {
  const reason = findReasonToRefuse(root, process.env);
  if (reason) throw new CannotStartError(`The demo does not run here: ${reason}`);
  const owner = findStackOwner(dir);
  if (owner !== undefined) {
    throw new CannotStartError(`A demo already runs here${findRunningUrl()} (process ${owner}).`);
  }
  if (!(await isPortFree(port))) {
    throw new CannotStartError(
      `Port ${port} is in use or not allowed. Choose another one: PORT=${port + 1} npm run demo`,
    );
  }
}

function findRunningUrl(): string {
  try {
    return `, on ${(JSON.parse(readFileSync(localFile, 'utf8')) as { apiUrl: string }).apiUrl}`;
  } catch {
    return '';
  }
}
