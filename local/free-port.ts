import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that systems hand out by themselves (Linux from 32768, others from 49152): between this look and its use,
 * which may be minutes later, no outgoing connection and no `listen(0)` of any program takes one of these.
 */
const ports = { first: 10_240, last: 32_767 };

const handedOut = new Set<number>();

/** A TCP port that is free now on both loopback addresses and was not handed out by this process before. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.first, ports.last + 1);
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    if (!(await isPortTaken(port))) return port;
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
