import { Resolver } from 'node:dns/promises';
import { publicTargets, type TargetRules } from '@/lib/addresses/target';
import { isOwnAddress } from './own-address';

/** Who may be connected to. The product has one set of rules; another one exists only where a test constructs it. */
export interface EgressRules extends TargetRules {
  /** Every address of a name; empty when it has none. Never consults what only this machine knows. */
  resolve(name: string): Promise<readonly string[]>;
}

/** Asked over the network and not through the system, whose few threads a slow name server could hold up. */
const resolver = new Resolver({ timeout: 2_000, tries: 2 });

async function resolvePublicly(name: string): Promise<readonly string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

/** The rule for addresses that callers name, and beside it what only the connection can tell. */
export const publicInternet: EgressRules = {
  ...publicTargets,
  resolve: resolvePublicly,
  isAddressAllowed: (address, port) =>
    publicTargets.isAddressAllowed(address, port) && !isOwnAddress(address),
};
