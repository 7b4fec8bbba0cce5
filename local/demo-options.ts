import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isPortTaken } from './free-port';
import { findReasonToRefuse } from './real-settings.mjs';
import { findStackOwner } from './stack-lock';

export type DemoOptions = {
  /** Empties the state first. */
  isFresh: boolean;
  /** Ends after the tour. */
  isOnce: boolean;
  hasTour: boolean;
  /** Only tells whether it could start; bootstrap asks before it builds. */
  isOnlyCheck: boolean;
  port: number;
};

/** Thrown when the demo must not or cannot start; the message is for the person who started it. */
export class Refusal extends Error {}

export const root = fileURLToPath(new URL('..', import.meta.url));
export const dir = path.join(root, '.tuppence');
export const localFile = path.join(dir, 'local.json');

/** Reads the command line; throws a Refusal where it makes no sense. */
export function readDemoOptions(args: string[], environment: NodeJS.ProcessEnv): DemoOptions {
  const flag = { type: 'boolean', default: false } as const;
  let values: Record<'fresh' | 'once' | 'no-tour' | 'only-check', boolean>;
  try {
    const options = { fresh: flag, once: flag, 'no-tour': flag, 'only-check': flag };
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new Refusal(
      `${error instanceof Error ? error.message : error} (there are --fresh, --once and --no-tour)`,
    );
  }
  const port = Number(environment.PORT || 3402);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Refusal('PORT is no port number.');
  if (values.once && values['no-tour']) {
    throw new Refusal('--once ends after the tour, so it cannot go with --no-tour.');
  }
  return {
    isFresh: values.fresh,
    isOnce: values.once,
    hasTour: !values['no-tour'],
    isOnlyCheck: values['only-check'],
    port,
  };
}

/** Throws a Refusal when real settings are near, a demo already runs here, or the port is taken. */
export async function refuseIfUnfit(port: number): Promise<void> {
  const reason = findReasonToRefuse(root, process.env);
  if (reason) throw new Refusal(`The demo does not run here: ${reason}`);
  const owner = findStackOwner(dir);
  if (owner !== undefined)
    throw new Refusal(`A demo already runs here${findRunningUrl()} (process ${owner}).`);
  if (await isPortTaken(port)) {
    throw new Refusal(
      `Port ${port} is taken by another program. Choose another: PORT=${port + 1} npm run demo`,
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
