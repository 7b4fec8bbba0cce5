import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { findFreePort } from '@/lib/local/free-port';

/** A server of our own build, on a port of its own, that a test may stop, kill and start again. */
export interface TestServer {
  readonly apiUrl: string;
  readonly filesUrl: string;
  readonly pid: number;
  /** What the server has logged so far. */
  output(): string;
  /** kill -9: nothing is finished, nothing is told. */
  kill(): Promise<void>;
  /** SIGTERM, and wait for the end. */
  stop(): Promise<void>;
}

/** Starts `dist/server.js` with these settings; give `port` to restart a killed server at its old address. */
export async function startServer(
  serverEnv: Record<string, string>,
  options: { port?: number; timeoutMs?: number } = {},
): Promise<TestServer> {
  const port = options.port ?? (await findFreePort());
  const apiUrl = `http://localhost:${port}`;
  const filesUrl = `http://127.0.0.1:${port}`;
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
  const deadline = Date.now() + (options.timeoutMs ?? 60_000);
  for (;;) {
    const isUp = await fetch(`${apiUrl}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isUp) break;
    if (child.exitCode !== null || Date.now() > deadline) {
      await end('SIGKILL');
      throw new Error(`the server did not start:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    apiUrl,
    filesUrl,
    pid: child.pid ?? 0,
    output: () => output,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}
