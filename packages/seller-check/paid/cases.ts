import { authorizationCases } from './cases/authorizations';
import { balanceCases } from './cases/balances';
import { contractWalletCases } from './cases/contract-wallets';
import { facilitatorFaultCases } from './cases/facilitator-faults';
import { floodCases } from './cases/floods';
import { nodeFaultCases } from './cases/node-faults';
import { paidCallCases } from './cases/paid-calls';
import { reorganizationCases } from './cases/reorganizations';
import { repeatCases } from './cases/repeats';
import { restartCases } from './cases/restarts';
import { unusualAuthorizationCases } from './cases/unusual-authorizations';
import type { PaidCase } from './paid-case';

/** Every case that pays, in the order in which they run. What shakes the seller most comes last. */
export const paidCases: readonly PaidCase[] = [
  ...paidCallCases,
  ...repeatCases,
  ...authorizationCases,
  ...unusualAuthorizationCases,
  ...contractWalletCases,
  ...balanceCases,
  ...floodCases,
  ...facilitatorFaultCases,
  ...restartCases,
  ...nodeFaultCases,
  ...reorganizationCases,
];
