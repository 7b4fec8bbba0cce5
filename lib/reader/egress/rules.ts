import { Resolver } from 'node:dns/promises';
import { isOwnAddress, isPublicAddress } from './address';
import { canBePublic } from './target';

/** Who may be connected to. The product has one set of rules; another one exists only where a test constructs it. */
export interface EgressRules {
  /** Every address of a name; empty when it has none. Never consults what only this machine knows. */
  resolve(name: string): Promise<readonly string[]>;
  isPortAllowed(port: number): boolean;
  isAddressAllowed(address: string, port: number): boolean;
  /** Whether a name may be looked up at all. */
  isNameAllowed(name: string): boolean;
}

/** Asked over the network and not through the system, whose few threads a slow name server could hold up. */
const resolver = new Resolver({ timeout: 2_000, tries: 2 });

async function resolvePublicly(name: string): Promise<readonly string[]> {
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

export const publicInternet: EgressRules = {
  resolve: resolvePublicly,
  isPortAllowed: (port) => port === 80 || port === 443,
  isAddressAllowed: (address) => isPublicAddress(address) && !isOwnAddress(address),
  isNameAllowed: canBePublic,
};
