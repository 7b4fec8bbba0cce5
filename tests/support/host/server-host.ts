import { type ChildProcess, fork } from 'node:child_process';
import type { Timings } from '@/lib/platform/timings';
import { findFreePort } from '@/local/free-port';
import { bundledProgram } from '../bundled-program';
import { addressesAt, addressSettings, type RunningServer, startServer, unhurried } from '../server';
import { isStartedByNext } from '../started-by';
import type { HostAnswer, HostRequest } from './messages';

/** Hosts of this worker that run no server at the moment. They are connected to the worker, and end with it. */
const idleHosts: ServerHost[] = [];

/**
 * Starts a server in a process that outlives it. This takes a tenth of the time of a new process.
 * @param options.port the port of a killed server, to use again
 */
export async function startHostedServer(
  serverEnv: Record<string, string>,
  options: { readonly port?: number; readonly timings: Timings },
): Promise<RunningServer> {
  // The framework can only run in a process of its own.
  if (isStartedByNext) return startServer(serverEnv, options);
  const port = options.port ?? (await findFreePort());
  const host = idleHosts.pop() ?? new ServerHost();
  const from = host.output.length;
  await host.start({ ...addressSettings(port), ...unhurried, ...serverEnv }, options.timings);
  let output: string | undefined;
  return {
    ...addressesAt(port),
    output: () => output ?? host.output.slice(from),
    async setTime(aheadMs) {
      if (output === undefined) await host.setTime(aheadMs);
    },
    async kill() {
      if (output !== undefined) return;
      await host.setTime(0);
      await host.kill();
      output = host.output.slice(from);
      idleHosts.push(host);
    },
  };
}

/** A process that runs one server after another (program.ts). */
class ServerHost {
  #child: Promise<ChildProcess> | undefined;
  #output = '';

  /** The log output of its servers so far. */
  get output(): string {
    return this.#output;
  }

  start(settings: Record<string, string>, timings: Timings): Promise<void> {
    return this.#ask({ do: 'start', settings, timings });
  }

  /** Sets the clock that its servers see. */
  setTime(aheadMs: number): Promise<void> {
    return this.#ask({ do: 'set time', aheadMs });
  }

  /** Ends its server as kill -9 would. */
  kill(): Promise<void> {
    return this.#ask({ do: 'kill' });
  }

  async #ask(request: HostRequest): Promise<void> {
    this.#child ??= this.#open();
    const child = await this.#child;
    const failure = await new Promise<string | undefined>((resolve) => {
      const onExit = (code: number | null) => resolve(`the host of servers ended with ${code}`);
      if (!child.connected) return onExit(child.exitCode);
      child.once('exit', onExit);
      child.once('message', (answer: HostAnswer) => {
        child.off('exit', onExit);
        resolve(answer.failure);
      });
      child.send(request);
    });
    if (failure !== undefined) throw new Error(`${failure}\n${this.#output.slice(-4_000)}`);
  }

  async #open(): Promise<ChildProcess> {
    const child = fork(await bundledProgram('host/program'), {
      // As much room for short-lived objects as the workers have. Garbage collection took a fifth of a host's CPU time.
      execArgv: ['--max-semi-space-size=64'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_ENV: 'production',
        NEXT_TELEMETRY_DISABLED: '1',
      },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString();
      });
    }
    return child;
  }
}
