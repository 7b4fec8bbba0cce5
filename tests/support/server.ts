import type { Timings } from '@/lib/platform/timings';
import { findFreePort } from '@/local/free-port';
import { bundledProgram } from './bundled-program';
import { type Program, startProgram } from './program';
import { isStartedByNext } from './started-by';

/** A server that a test can kill and restart. */
export interface RunningServer {
  readonly apiUrl: string;
  readonly filesUrl: string;
  /** Its log output so far. */
  output(): string;
  /** Sets the clock of its machine, in milliseconds ahead of the real time; undefined where that is not possible. */
  setTime?(aheadMs: number): Promise<void>;
  /** Ends the server as kill -9 does: it cannot finish anything. */
  kill(): Promise<void>;
}

/** A server from our build, in its own process. */
export interface TestServer extends Program, RunningServer {}

/** Rate limits for tests, which all share one client address. Tests of limits set their own factor. */
export const unhurried = { RATE_LIMIT_FACTOR: '1000' };

interface ServerOptions {
  /** The port of a killed server, to use again. */
  readonly port?: number;
  readonly timeoutMs?: number;
  /**
   * Without timings, starts `dist/server.js` or `next start` with production timings. With timings, starts the same app with
   * these (server-program.ts, next-program.ts).
   */
  readonly timings?: Timings;
  /** Whether to run `next start`, instead of our own program. */
  readonly isStartedByNext?: boolean;
  /** The folder that it runs in, if not the repository. */
  readonly cwd?: string;
  /** Whether the project's folder is read-only. */
  readonly isOnReadOnlyDisk?: boolean;
}

/** Starts a server with these settings. */
export async function startServer(
  serverEnv: Record<string, string>,
  options: ServerOptions = {},
): Promise<TestServer> {
  const port = options.port ?? (await findFreePort());
  const { script, args, upWhen, env } = await programFor({ isStartedByNext, ...options }, port);
  const program = await startProgram(
    script,
    {
      ...addressSettings(port),
      ...unhurried,
      ...env,
      ...serverEnv,
      TIMINGS: JSON.stringify(options.timings ?? null),
    },
    // Goes by its own log output, because another program could respond at its address.
    (output) => output.includes(`"msg":"${upWhen}"`),
    { ...options, args },
  );
  return { ...program, ...addressesAt(port) };
}

async function programFor({ isStartedByNext, timings }: ServerOptions, port: number) {
  if (!isStartedByNext) {
    const script = timings ? await bundledProgram('server-program') : 'dist/server.js';
    return { script, args: [], env: {}, upWhen: 'listening' };
  }
  const upWhen = 'started under the framework';
  // As docs/operating.md advises.
  const env = { NODE_OPTIONS: '--max-http-header-size=32768' };
  if (timings) return { script: await bundledProgram('next-program'), args: [], env, upWhen };
  const args = ['start', '--hostname', '127.0.0.1', '--port', String(port), '--keepAliveTimeout', '70000'];
  return { script: 'node_modules/next/dist/bin/next', args, env, upWhen };
}

/** The origins of a server at a port: two names of this machine. */
export function addressesAt(port: number): { apiUrl: string; filesUrl: string } {
  return { apiUrl: `http://localhost:${port}`, filesUrl: `http://127.0.0.1:${port}` };
}

export function addressSettings(port: number): Record<string, string> {
  const { apiUrl, filesUrl } = addressesAt(port);
  return { HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: apiUrl, FILES_URL: filesUrl };
}
