import { findFreePort } from '@/local/free-port';
import { type Program, startProgram } from './program';

/** A server of our own build, on a port of its own, that a test may stop, kill and start again. */
export interface TestServer extends Program {
  readonly apiUrl: string;
  readonly filesUrl: string;
}

/** Every test calls from one address; those about limits set what they test. */
const unhurried = { RATE_LIMIT_FACTOR: '1000' };

/** Starts `dist/server.js` with these settings; give `port` to restart a killed server at its old address. */
export async function startServer(
  serverEnv: Record<string, string>,
  options: { port?: number; timeoutMs?: number } = {},
): Promise<TestServer> {
  const port = options.port ?? (await findFreePort());
  const apiUrl = `http://localhost:${port}`;
  const filesUrl = `http://127.0.0.1:${port}`;
  // What it says itself: at its address another program could answer.
  const isUp = (output: string) => output.includes('"msg":"listening"');
  const addresses = { HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: apiUrl, FILES_URL: filesUrl };
  const program = await startProgram(
    'dist/server.js',
    { ...addresses, ...unhurried, ...serverEnv },
    isUp,
    options.timeoutMs,
  );
  return { ...program, apiUrl, filesUrl };
}
