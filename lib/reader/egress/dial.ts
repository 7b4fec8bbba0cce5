import { connect, isIP, type Socket } from 'node:net';
import type { EgressRules } from './rules';
import type { Target } from './target';

const connectTimeoutMs = 5_000;
/** A name with more addresses than these is tried no further. */
const addressesMax = 4;

/** Why nothing was connected to. The first two are refusals of ours, before any packet left for the target. */
export type NoConnection = 'not_public' | 'port' | 'unknown_name' | 'unreachable';

/**
 * Connects to a target that the rules allow. A name is looked up once and every one of its addresses is judged; the connection
 * goes to the very address that was judged, so a later answer of its name server changes nothing.
 */
export async function dial({ host, port }: Target, rules: EgressRules): Promise<Socket | NoConnection> {
  if (!rules.isPortAllowed(port)) return 'port';
  const addresses = await addressesOf(host, rules);
  if (typeof addresses === 'string') return addresses;
  // One bad address among good ones: the name means to lead somewhere it should not.
  if (!addresses.every((address) => rules.isAddressAllowed(address, port))) return 'not_public';
  for (const address of inOrder(addresses)) {
    const socket = await connectTo(address, port);
    if (socket) return socket;
  }
  return 'unreachable';
}

async function addressesOf(host: string, rules: EgressRules): Promise<readonly string[] | NoConnection> {
  if (isIP(host) !== 0) return [host];
  if (!rules.isNameAllowed(host)) return 'not_public';
  const answers = await rules.resolve(host).catch(() => []);
  return answers.length === 0 ? 'unknown_name' : answers;
}

/** IPv4 first: not every host has a way out over IPv6. */
function inOrder(addresses: readonly string[]): readonly string[] {
  return [...addresses].sort((a, b) => isIP(a) - isIP(b)).slice(0, addressesMax);
}

function connectTo(address: string, port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    // An address and no name: Node looks nothing up.
    const socket = connect({ host: address, port, noDelay: true });
    const end = (result: Socket | null) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      if (!result) {
        socket.on('error', () => undefined);
        socket.destroy();
      }
      resolve(result);
    };
    const timer = setTimeout(() => end(null), connectTimeoutMs);
    socket.once('connect', () => end(socket));
    socket.once('error', () => end(null));
  });
}
