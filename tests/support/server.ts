import type { Timings } from '@/lib/platform/timings';
import { findFreePort } from '@/local/free-port';
import { bundledProgram } from './bundled-program';
import { type Program, startProgram } from './program';

/** A server of our own build, on a port of its own, that a test may stop, kill and start again. */
export interface TestServer extends Program {
  readonly apiUrl: string;
  readonly filesUrl: string;
}

/** Every test calls from one address; those about limits set what they test. */
const unhurried = { RATE_LIMIT_FACTOR: '1000' };

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
  const apiUrl = `http://localhost:${port}`;
  const filesUrl = `http://127.0.0.1:${port}`;
  // What it says itself: at its address another program could answer.
  const isUp = (output: string) => output.includes('"msg":"listening"');
  const addresses = { HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: apiUrl, FILES_URL: filesUrl };
  const program = await startProgram(
    options.timings ? await bundledProgram('server-program') : 'dist/server.js',
    { ...addresses, ...unhurried, ...serverEnv, TIMINGS: JSON.stringify(options.timings ?? null) },
    isUp,
    options.timeoutMs,
  );
  return { ...program, apiUrl, filesUrl };
}
