import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import { publicTargets, type TargetRules } from '@/lib/platform/addresses/target';

/** Which targets and addresses may be connected to. Only tests use other rules than `publicInternet`. */
export interface EgressRules extends TargetRules {
  /** Every address of a name; empty when it has none. Never uses this machine's own names. */
  resolve(name: string): Promise<readonly string[]>;
}

/** Queries DNS directly, because the system's resolver has few threads, which a slow name server could block. */
const resolver = new Resolver({ timeout: 2_000, tries: 2 });

async function resolvePublicly(name: string): Promise<readonly string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

/** The rules for targets that callers name, and for resolved addresses. */
export const publicInternet: EgressRules = {
  ...publicTargets,
  resolve: resolvePublicly,
  isAddressAllowed: (address, port) =>
    publicTargets.isAddressAllowed(address, port) && !isOwnAddress(address),
};

/** Whether an address belongs to this machine, whose services may trust local connections. */
function isOwnAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const wanted = ipaddr.parse(address).toNormalizedString();
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .some((own) => ipaddr.parse(own.address).toNormalizedString() === wanted);
}
