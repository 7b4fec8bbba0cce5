import { findFreePort } from '@/lib/local/free-port';
import { type Program, startProgram } from './program';

/** A server of our own build, on a port of its own, that a test may stop, kill and start again. */
export interface TestServer extends Program {
  readonly apiUrl: string;
  readonly filesUrl: string;
}

/** Starts `dist/server.js` with these settings; give `port` to restart a killed server at its old address. */
export async function startServer(
  serverEnv: Record<string, string>,
  options: { port?: number; timeoutMs?: number } = {},
): Promise<TestServer> {
  const port = options.port ?? (await findFreePort());
  const apiUrl = `http://localhost:${port}`;
  const filesUrl = `http://127.0.0.1:${port}`;
<<<<<<< HEAD
  const isUp = () =>
    fetch(`${apiUrl}/health`).then(
=======
  let output = '';
  const child: ChildProcess = spawn(process.execPath, ['dist/server.js'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: apiUrl,
      FILES_URL: filesUrl,
      ...serverEnv,
    },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const exited = once(child, 'exit');
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await exited;
    }
  };
  const deadline = Date.now() + (options.timeoutMs ?? 120_000);
  for (;;) {
    const isUp = await fetch(`${apiUrl}/health`).then(
>>>>>>> 5431c0d (Full rigs shared; deadlines that a busy machine can meet)
      (answer) => answer.ok,
      () => false,
    );
  const addresses = { HOST: '127.0.0.1', PORT: String(port), PUBLIC_URL: apiUrl, FILES_URL: filesUrl };
  const program = await startProgram(
    'dist/server.js',
    { ...addresses, ...serverEnv },
    isUp,
    options.timeoutMs,
  );
  return { ...program, apiUrl, filesUrl };
}
