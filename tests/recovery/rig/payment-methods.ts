import type { RailName } from '@/lib/catalog/operation';
import type { NetworkName } from './chains';
import { type Order, type SignedRequest, sign, signMpp } from './requests';
import type { Rig, Wallet } from './rig';

/** How a call can be paid: a protocol on a network. */
export interface PaymentMethod {
  readonly rail: RailName;
  readonly on: NetworkName;
}

/** Every rail on every network that it supports. */
export const paymentMethods: readonly PaymentMethod[] = [
  { rail: 'x402', on: 'base' },
  { rail: 'x402', on: 'polygon' },
  { rail: 'x402', on: 'arbitrum' },
  { rail: 'x402', on: 'solana-mainnet' },
  { rail: 'mpp', on: 'base' },
  { rail: 'mpp', on: 'polygon' },
  { rail: 'mpp', on: 'arbitrum' },
];

export function newPayer(rig: Rig, { on }: PaymentMethod): Promise<Wallet> {
  return on === 'solana-mainnet' ? rig.newSolanaPayer() : rig.newEvmPayer();
}

/** What the official client of the rail would send. */
export function signFor(
  { rail, on }: PaymentMethod,
  rig: Rig,
  wallet: Wallet,
  order?: Order,
): Promise<SignedRequest> {
  return rail === 'mpp' ? signMpp(rig, wallet, order, on) : sign(rig, wallet, order, on);
}
