import { randomInt } from 'node:crypto';
import getPort from 'get-port';

/**
 * Operating systems take ports for outgoing connections and for `listen(0)` from above this range (Linux from 32768, others
 * from 49152). So a port found here stays free until it is used, even minutes later.
 */
const range = { first: 10_240, last: 32_767 };

/** In random order, because several processes look for ports at the same time. */
function* randomPorts(): Generator<number> {
  for (;;) yield randomInt(range.first, range.last + 1);
}

/** A free TCP port that has not been given to this process before. */
export function findFreePort(): Promise<number> {
  return getPort({ port: randomPorts(), reserve: true });
}

/** Whether this process may listen on the port: nothing else does, and the system allows it. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await getPort({ port })) === port;
}
