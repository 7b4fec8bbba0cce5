import { setTimeout as sleep } from 'node:timers/promises';
import { type GuardedChild, spawnGuarded } from '@/local/child-processes';

/** The seller as a process of this machine, which a case may kill and start again. */
export interface SellerProcess {
  hasExited(): boolean;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again with the same command, and waits until it answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface SellerCommand {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Whether the seller is up. */
  readonly isReady: () => Promise<boolean>;
  readonly folder?: string;
}

const startTimeoutMs = 60_000;
const lineMax = 4_000;

/** Starts a seller and waits until it answers. */
export async function startSeller(spec: SellerCommand): Promise<SellerProcess> {
  let child: GuardedChild | undefined;
  let lastOutput = '';

  const start = async () => {
    const [command, ...args] = spec.command;
    const started = await spawnGuarded({
      command,
      args,
      options: {
        cwd: spec.folder,
        env: { ...process.env, ...spec.env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    });
    child = started;
    for (const stream of [started.process.stdout, started.process.stderr])
      stream?.on('data', (text) => {
        lastOutput = (lastOutput + String(text)).slice(-lineMax);
      });
    for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline; await sleep(50)) {
      if (started.hasExited()) throw new Error(`The seller ended before it offered anything.\n${lastOutput}`);
      if (await spec.isReady()) return;
    }
    await end('SIGKILL');
    throw new Error(`The seller did not answer 402 within ${startTimeoutMs / 1000} seconds.\n${lastOutput}`);
  };

  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    if (!child || child.hasExited()) return;
    const { pid, exited } = child;
    // Its whole process group: commands such as `npm start` run the seller as a child.
    const send = (how: 'SIGKILL' | 'SIGTERM') => {
      try {
        process.kill(-pid, how);
      } catch {
        // It has ended by itself.
      }
    };
    send(signal);
    const killer = setTimeout(() => send('SIGKILL'), 5_000);
    await exited;
    clearTimeout(killer);
  };

  const seller: SellerProcess = {
    hasExited: () => child?.hasExited() ?? true,
    kill: () => end('SIGKILL'),
    start,
    stop: () => end('SIGTERM'),
  };
  try {
    await start();
  } catch (error) {
    await seller.kill();
    throw error;
  }
  return seller;
}
