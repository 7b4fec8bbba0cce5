import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { StatementReader } from './database-statements';

/** One intercepted statement. A test must either reply to it or end its connection. */
export interface Exchange {
  /** The SQL text. */
  readonly statement: string;
  /** Executes the statement; resolves with the whole reply, which the server does not get. */
  forward(): Promise<Buffer>;
  /** Sends these bytes to the server as the reply. */
  reply(bytes: Buffer): void;
  /** Ends the connections to the server and to the database. The one to the server can be reset instead of closed. */
  end(how?: 'close' | 'reset'): void;
}

/** Handles one statement. */
export type DatabaseAction = (exchange: Exchange) => Promise<void>;

/** A proxy in front of PostgreSQL that can cut connections or intercept single statements. */
export interface DatabaseProxy {
  readonly databaseUrl: string;
  /** Calls this function for every statement. It returns an action, or null to let the statement pass. */
  intercept(decide: ((statement: string) => DatabaseAction | null) | null): void;
  /**
   * Executes the next statement with this text, withholds its answer, and ends its connection.
   * @returns resolves when that has happened
   */
  loseAnswerTo(text: string): Promise<void>;
  /** Ends every open connection. */
  cut(): void;
  /** The ports of connections that have ended here. The database may still be executing their statements. */
  readonly endedPorts: Set<number>;
  /** Resolves when no connection is open: everything that a killed server sent has arrived here. */
  allEnded(): Promise<void>;
  close(): Promise<void>;
}

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const upstream = new URL(databaseUrl);
  const pairs = new Set<() => void>();
  const endedPorts = new Set<number>();
  let waiting: (() => void)[] = [];
  let decide: ((statement: string) => DatabaseAction | null) | null = null;

  const server = createServer((near) => {
    const far = connect(Number(upstream.port), upstream.hostname);
    const end = (how: 'close' | 'reset' = 'close') => {
      pairs.delete(end);
      if (far.localPort) endedPorts.add(far.localPort);
      if (how === 'reset') near.resetAndDestroy();
      near.destroy();
      far.destroy();
      if (pairs.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    };
    pairs.add(end);
    far.on('connect', () => endedPorts.delete(far.localPort ?? 0));
    for (const socket of [near, far]) {
      socket.on('error', () => end());
      socket.on('close', () => end());
      socket.setNoDelay(true);
    }
    const replies = passReplies(near, far);
    const reader = new StatementReader((bytes, statement) => {
      const action = statement === null ? null : (decide?.(statement) ?? null);
      if (!action || statement === null) {
        far.write(bytes);
        return;
      }
      action({
        statement,
        forward() {
          const reply = replies.withhold();
          far.write(bytes);
          return reply;
        },
        reply: (answer) => near.write(answer),
        end,
      }).catch(() => end());
    });
    near.on('data', (bytes) => reader.read(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const end of [...pairs]) end();
  };
  return {
    databaseUrl: url.href,
    intercept(wanted) {
      decide = wanted;
    },
    loseAnswerTo: (text) =>
      new Promise((resolve) => {
        decide = (statement) => {
          if (!statement.includes(text)) return null;
          decide = null;
          return async ({ forward, end }) => {
            await forward();
            end();
            resolve();
          };
        };
      }),
    cut,
    endedPorts,
    async allEnded() {
      if (pairs.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}

/** ReadyForQuery, without its byte of transaction state. Every reply ends with it. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5]);

/** Passes replies from the database on to the server, except one that is to be withheld. */
function passReplies(near: Socket, far: Socket): { withhold(): Promise<Buffer> } {
  let withheld: { chunks: Buffer[]; resolve: (reply: Buffer) => void } | null = null;
  far.on('data', (bytes) => {
    if (!withheld) {
      near.write(bytes);
      return;
    }
    withheld.chunks.push(bytes);
    const reply = Buffer.concat(withheld.chunks);
    if (!reply.subarray(-6, -1).equals(readyForQuery)) return;
    withheld.resolve(reply);
    withheld = null;
  });
  return {
    withhold: () =>
      new Promise((resolve) => {
        withheld = { chunks: [], resolve };
      }),
  };
}
