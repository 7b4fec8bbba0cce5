import { type ChildProcess, spawn } from 'node:child_process';
import cluster from 'node:cluster';
import type { Server } from 'node:http';
import net from 'node:net';
import type { Clock } from '@/lib/platform/clock';

/** How many connections have to come within a second before the socket is copied. Most servers never get as many. */
const burst = 32;
const copiesMax = 7;

/** Sends each listening socket back. It closes its own at once, so that it never takes a connection. */
const returnSockets = `process.on('message', (number, server) => {
  process.send(number, server);
  server.close();
});`;

/**
 * Takes several connections in each turn of the event loop. Node takes one from each listening socket
 * (https://github.com/libuv/libuv/pull/3696), so a busy server with a hundred turns a second would take a hundred connections a
 * second, and the others would wait or be dropped by the kernel. So the socket is copied, as far as Node allows: a child
 * process gets it, returns it, and ends. Without copies the server works as before.
 */
export class Acceptors {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #server: Server;
  readonly #copies: net.Server[] = [];
  /** How many have come, since when. */
  #taken = { count: 0, sinceMs: 0 };
  #child: ChildProcess | null = null;
  #isEnding = false;

  constructor(clock: Pick<Clock, 'monotonic'>, server: Server) {
    this.#clock = clock;
    this.#server = server;
    // Processes that share a port get their connections from their parent.
    if (cluster.isPrimary && process.platform !== 'win32') server.on('connection', this.#count);
  }

  /** Accepts no more connections. @returns when the last one is closed */
  async close(): Promise<void> {
    this.#isEnding = true;
    this.#child?.kill();
    // That of an HTTP server would close connections without a request at once.
    const close = (server: net.Server) =>
      new Promise<void>((resolve) => net.Server.prototype.close.call(server, () => resolve()));
    await Promise.all([this.#server, ...this.#copies].map(close));
  }

  readonly #count = (): void => {
    if (this.#child !== null || this.#isEnding) return;
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#taken.sinceMs > 1_000) this.#taken = { count: 0, sinceMs: nowMs };
    this.#taken.count += 1;
    if (this.#taken.count >= burst) this.#child = this.#makeCopies();
  };

  #makeCopies(): ChildProcess {
    const child = spawn(process.execPath, ['--eval', returnSockets], {
      env: { NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const next = () => {
      if (this.#copies.length < copiesMax && !this.#isEnding) child.send(this.#copies.length, this.#server);
      else child.kill();
    };
    child.on('message', (_number, copy) => {
      if (copy instanceof net.Server) this.#add(copy);
      next();
    });
    // It could not be started or was ended: what has been copied remains.
    child.on('error', () => child.kill());
    // One at a time, because the child can only return one at a time.
    next();
    return child;
  }

  #add(copy: net.Server): void {
    if (this.#isEnding) return void copy.close();
    // With the options of an HTTP server.
    const options = { allowHalfOpen: true, noDelay: true };
    const acceptor = net.createServer(options, (socket) => this.#server.emit('connection', socket));
    acceptor.on('error', () => acceptor.close());
    // Takes over the socket of the copy.
    acceptor.listen(copy);
    this.#copies.push(acceptor);
  }
}
