import { connect, isIP, type Socket } from 'node:net';
import { refusalOf, type Target, type TargetRefusal } from '@/lib/platform/addresses/target';
import type { EgressRules } from './rules';

const connectTimeoutMs = 5_000;
/** How many addresses of a name are tried. */
const addressesMax = 4;

/** Why there is no connection. Our refusals happen before any packet is sent to the target. */
export type NoConnection = TargetRefusal | 'unknown_name' | 'unreachable';

/**
 * Connects to an allowed target. A name is looked up once and all its addresses are checked. The connection goes to a
 * checked address, so a later DNS answer changes nothing.
 */
export async function dial(target: Target, rules: EgressRules): Promise<Socket | NoConnection> {
  const addresses = await checkTarget(target, rules);
  if (typeof addresses === 'string') return addresses;
  for (const address of inOrder(addresses)) {
    const socket = await connectTo(address, target.port);
    if (socket) return socket;
  }
  return 'unreachable';
}

/** Checks a target and its addresses. @returns the addresses that may be connected to, or the refusal */
export async function checkTarget(
  target: Target,
  rules: EgressRules,
): Promise<readonly string[] | NoConnection> {
  const { host, port } = target;
  const refusal = refusalOf(target, rules);
  if (refusal) return refusal;
  if (isIP(host) !== 0) return [host];
  const addresses = await rules.resolve(host).catch(() => []);
  if (addresses.length === 0) return 'unknown_name';
  // One private address among public ones means that the name is hostile.
  return addresses.every((address) => rules.isAddressAllowed(address, port)) ? addresses : 'not_public';
}

/** IPv4 first, because not every host has IPv6. */
function inOrder(addresses: readonly string[]): readonly string[] {
  return [...addresses].sort((a, b) => isIP(a) - isIP(b)).slice(0, addressesMax);
}

function connectTo(address: string, port: number): Promise<Socket | null> {
  return new Promise((resolve) => {
    // An address rather than a name, so Node looks nothing up.
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
