import { connect, isIP, type Socket } from 'node:net';
import { refusalOf, type Target, type TargetRefusal } from '@/lib/addresses/target';
import type { EgressRules } from './rules';

const connectTimeoutMs = 5_000;
/** A name with more addresses than these is tried no further. */
const addressesMax = 4;

/** Why nothing was connected to. A refusal of ours comes before any packet leaves for the target. */
export type NoConnection = TargetRefusal | 'unknown_name' | 'unreachable';

/**
 * Connects to a target that the rules allow. A name is looked up once and every one of its addresses is judged; the connection
 * goes to the very address that was judged, so a later answer of its name server changes nothing.
 */
export async function dial(target: Target, rules: EgressRules): Promise<Socket | NoConnection> {
  const addresses = await judge(target, rules);
  if (typeof addresses === 'string') return addresses;
  for (const address of inOrder(addresses)) {
    const socket = await connectTo(address, target.port);
    if (socket) return socket;
  }
  return 'unreachable';
}

/** Judges a target and everything that it leads to. @returns the addresses that may be connected to, or why none may */
export async function judge(target: Target, rules: EgressRules): Promise<readonly string[] | NoConnection> {
  const { host, port } = target;
  const refusal = refusalOf(target, rules);
  if (refusal) return refusal;
  if (isIP(host) !== 0) return [host];
  const addresses = await rules.resolve(host).catch(() => []);
  if (addresses.length === 0) return 'unknown_name';
  // One bad address among good ones: the name means to lead somewhere it should not.
  return addresses.every((address) => rules.isAddressAllowed(address, port)) ? addresses : 'not_public';
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
