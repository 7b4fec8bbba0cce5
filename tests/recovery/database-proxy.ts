import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of PostgreSQL that can take connections away, or the answer to one statement. */
export interface DatabaseProxy {
  readonly databaseUrl: string;
  /**
   * The next statement with this text is carried out, its answer withheld, and its connection ended.
   * @returns resolves when that has happened
   */
  loseAnswerTo(text: string): Promise<void>;
  /** Ends every connection there is. */
  cut(): void;
  close(): Promise<void>;
}

/** Long enough for a local statement to be carried out after it was passed on. */
const carryOutMs = 250;

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const upstream = new URL(databaseUrl);
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let wanted: { text: string; done: () => void } | null = null;

  const server = createServer((near) => {
    const far = connect(Number(upstream.port), upstream.hostname);
    const pair = { near, far };
    pairs.add(pair);
    let isMuted = false;
    const end = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      socket.on('error', end);
      socket.on('close', end);
      socket.setNoDelay(true);
    }
    near.on('data', (bytes) => {
      // Statements are short enough to arrive in one piece on a loopback.
      if (wanted && bytes.includes(wanted.text)) {
        const { done } = wanted;
        wanted = null;
        isMuted = true;
        setTimeout(() => {
          end();
          done();
        }, carryOutMs);
      }
      far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (!isMuted) near.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const { near, far } of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  return {
    databaseUrl: url.href,
    loseAnswerTo: (text) =>
      new Promise((resolve) => {
        wanted = { text, done: resolve };
      }),
    cut,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
