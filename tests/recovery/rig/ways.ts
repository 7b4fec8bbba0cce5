import type { RailName } from '@/lib/catalog/operation';
import type { NetworkName } from './chains';
import { type SignedRequest, sign, signMpp, type Wish } from './requests';
import type { Rig, Wallet } from './rig';

/** How a call can be paid: a protocol on a network. */
export interface Way {
  readonly rail: RailName;
  readonly on: NetworkName;
}

/** Every rail on every network that it can be paid on. */
export const ways: readonly Way[] = [
  { rail: 'x402', on: 'base' },
  { rail: 'x402', on: 'polygon' },
  { rail: 'x402', on: 'arbitrum' },
  { rail: 'x402', on: 'solana-mainnet' },
  { rail: 'mpp', on: 'base' },
  { rail: 'mpp', on: 'polygon' },
  { rail: 'mpp', on: 'arbitrum' },
];

export function newPayer(rig: Rig, { on }: Way): Promise<Wallet> {
  return on === 'solana-mainnet' ? rig.newSolanaPayer() : rig.newEvmPayer();
}

/** What the official client of the way's rail would send. */
export function signFor({ rail, on }: Way, rig: Rig, wallet: Wallet, wish?: Wish): Promise<SignedRequest> {
  return rail === 'mpp' ? signMpp(rig, wallet, wish, on) : sign(rig, wallet, wish, on);
}
