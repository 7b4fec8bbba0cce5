import { evm } from './evm';
import { memoryStore } from './memory-store';
import { createPaywall } from './paywall';
import type * as declared from './types';

// What is declared to those who use the package is what it has.
({ createPaywall, evm, memoryStore }) satisfies Pick<
  typeof declared,
  'createPaywall' | 'evm' | 'memoryStore'
>;

export type {
  EvmOptions,
  FetchHandler,
  PaidCall,
  Paywall,
  PaywallNetwork,
  PaywallOptions,
  PreparedCall,
  Sale,
  Store,
} from './types';
export { createPaywall, evm, memoryStore };
