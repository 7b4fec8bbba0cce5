import { createServer } from 'node:net';

const handedOut = new Set<number>();

/** A TCP port on 127.0.0.1 that is free now and was not handed out by this process before. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = await new Promise<number>((resolve, reject) => {
      const server = createServer();
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
      });
    });
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    return port;
  }
}

/** Whether something already listens on the port, on either loopback address. */
export async function isPortTaken(port: number): Promise<boolean> {
  const tries = ['127.0.0.1', '::1'].map(
    (host) =>
      new Promise<boolean>((resolve) => {
        const server = createServer();
        server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'));
        server.listen(port, host, () => server.close(() => resolve(false)));
      }),
  );
  return (await Promise.all(tries)).some(Boolean);
}
