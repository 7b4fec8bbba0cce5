import { randomBytes } from 'node:crypto';
import {
  type Action,
  breakAnswer,
  claimFailure,
  delayAnswer,
  falsify,
  loseAnswer,
  loseRequest,
  repeatRequest,
} from '../../support/rpc-proxy';
import type { NetworkName } from '../rig/chains';

/** A fault of the RPC calls that settle a payment or resolve its outcome, on the way to a chain or back. */
export interface SettlementFault {
  readonly what: string;
  readonly method: string;
  readonly action: Action;
  /** How many calls it affects. */
  readonly times: number;
}

interface Words {
  readonly what: string;
  readonly action: Action;
  readonly times?: number;
}

const otherHash = () => `0x${randomBytes(32).toString('hex')}`;
const alterReceipt = (change: object) =>
  falsify((receipt) => (receipt === null ? null : { ...(receipt as object), ...change }));

/** What can happen to any call that sends a transaction. */
const sendings: readonly Words[] = [
  { what: 'accepted, its answer lost', action: loseAnswer },
  { what: 'accepted, the connection reset', action: breakAnswer('reset') },
  { what: 'accepted, its answer cut short', action: breakAnswer('truncate') },
  { what: 'accepted, answered 500 by a gateway', action: breakAnswer('status-500') },
  { what: 'accepted, answered late', action: delayAnswer(1_500) },
  { what: 'arrives twice', action: repeatRequest },
  { what: 'never arrives', action: loseRequest },
];

/** What can happen to any call that asks for the outcome of a transaction. */
const askings: readonly Words[] = [
  { what: 'lost once', action: loseAnswer },
  { what: 'lost six times', action: loseAnswer, times: 6 },
  { what: 'late', action: delayAnswer(1_500) },
  { what: 'cut short three times', action: breakAnswer('truncate'), times: 3 },
  { what: 'replaced by a 500', action: breakAnswer('status-500'), times: 2 },
];

const evm: readonly SettlementFault[] = [
  ...faults('eth_sendRawTransaction', [
    ...sendings,
    { what: 'accepted, answered "nonce too low"', action: claimFailure('nonce too low') },
    { what: 'accepted, answered "already known"', action: claimFailure('already known') },
    {
      what: 'accepted, answered "underpriced"',
      action: claimFailure('replacement transaction underpriced'),
    },
    { what: 'accepted, answered with another hash', action: falsify(otherHash) },
  ]),
  ...faults('eth_getTransactionReceipt', [
    ...askings,
    { what: 'null, then found', action: falsify(() => null) },
    { what: 'null for a long time, then found', action: falsify(() => null), times: 9 },
    { what: 'falsely reverted', action: alterReceipt({ status: '0x0', logs: [] }) },
    { what: 'without its logs', action: alterReceipt({ logs: [] }) },
    { what: 'under another hash', action: alterReceipt({ transactionHash: otherHash() }) },
  ]),
];

const solana: readonly SettlementFault[] = [
  ...faults('sendTransaction', [
    ...sendings,
    { what: 'accepted, answered "blockhash not found"', action: claimFailure('Blockhash not found') },
  ]),
  ...faults('getSignatureStatuses', [
    ...askings,
    {
      what: 'null for a while, then found',
      action: falsify((result) => ({ ...(result as object), value: [null] })),
      times: 5,
    },
  ]),
];

function faults(method: string, words: readonly Words[]): SettlementFault[] {
  return words.map(({ what, action, times = 1 }) => ({ what: `${method} ${what}`, method, action, times }));
}

export function settlementFaults(on: NetworkName): readonly SettlementFault[] {
  return on === 'solana-mainnet' ? solana : evm;
}
