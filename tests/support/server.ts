import type { Timings } from '@/lib/platform/timings';
import { findFreePort } from '@/local/free-port';
import { bundledProgram } from './bundled-program';
import { type Program, startProgram } from './program';

/** A server that a test may kill and start again. */
export interface RunningServer {
  readonly apiUrl: string;
  readonly filesUrl: string;
  /** What it has logged so far. */
  output(): string;
  /** Ends it as kill -9 does: nothing is finished, nothing is told. */
  kill(): Promise<void>;
}

/** A server of our own build as a process of its own. */
export interface TestServer extends Program, RunningServer {}

/** Every test calls from one address; those about limits set what they test. */
export const unhurried = { RATE_LIMIT_FACTOR: '1000' };

interface ServerOptions {
  /** The address of a server that was killed, to be there again. */
  readonly port?: number;
  readonly timeoutMs?: number;
  /** Left out, it is `dist/server.js` on the timings of production; given, the same app on these (server-program.ts). */
  readonly timings?: Timings;
}

/** Starts a server with these settings. */
export async function startServer(
  serverEnv: Record<string, string>,
  options: ServerOptions = {},
): Promise<TestServer> {
  const port = options.port ?? (await findFreePort());
  // What it says itself: at its address another program could answer.
  const isUp = (output: string) => output.includes('"msg":"listening"');
  const program = await startProgram(
    options.timings ? await bundledProgram('server-program') : 'dist/server.js',
    {
      ...addressSettings(port),
      ...unhurried,
      ...serverEnv,
      TIMINGS: JSON.stringify(options.timings ?? null),
    },
    isUp,
    options.timeoutMs,
  );
  return { ...program, ...addressesAt(port) };
}

/** The origins of a server at a port: two names of this machine. */
export function addressesAt(port: number): { apiUrl: string; filesUrl: string } {
  return { apiUrl: `http://localhost:${port}`, filesUrl: `http://127.0.0.1:${port}` };
}

export function addressSettings(port: number): Record<string, string> {
  const { apiUrl, filesUrl } = addressesAt(port);
  return { HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: apiUrl, FILES_URL: filesUrl };
}
