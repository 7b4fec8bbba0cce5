import { address } from '@solana/kit';
import { solanaNetwork } from '@/local/networks';
import type { Account } from '@/local/solana/accounts';
import { walletProgram } from '../../support/wallet-program/wallet';
import {
  associatedAddressOf,
  newTokenAccount,
  rentExemptionFor,
  type State,
  systemProgram,
  tokenStates,
  withTokenState,
} from './accounts';
import type { SimulatedCluster } from './chain';

const { usdc } = solanaNetwork;

/** Gives an address SOL that it has always had. */
export function addLamports(cluster: SimulatedCluster, address: string, lamports: number): void {
  cluster.addAccount(address, { owner: systemProgram, lamports, data: new Uint8Array(), executable: false });
}

/** Opens the USDC account of an owner, with a balance that it has always had. */
export function addTokens(cluster: SimulatedCluster, owner: string, atomic: bigint): void {
  cluster.addAccount(associatedAddressOf(owner, usdc), newTokenAccount(usdc, owner, atomic));
}

/** Freezes or thaws an owner's USDC account in the next block, as Circle can, or closes it, as its owner can. */
export function changeTokenAccount(
  cluster: SimulatedCluster,
  owner: string,
  to: 'frozen' | 'initialized' | 'closed',
): void {
  const address = associatedAddressOf(owner, usdc);
  cluster.change((state: State) => {
    const account = state.find(address);
    const changed: Account | null =
      account && to !== 'closed' ? withTokenState(account, tokenStates[to]) : null;
    return new Map(account ? [[address, changed]] : []);
  });
}

/** What a loader keeps at the address of a program: where its code is. */
const programAccountBytes = 36;

/** Shows the program of smart wallets, which can always be called, among the accounts. */
export function addWalletProgram(cluster: SimulatedCluster): void {
  cluster.addAccount(walletProgram, {
    owner: address('BPFLoaderUpgradeab1e11111111111111111111111'),
    lamports: rentExemptionFor(programAccountBytes),
    data: new Uint8Array(programAccountBytes),
    executable: true,
  });
}

/** Changes in the next block what a smart wallet does, as its owner can. */
export function changeBehavior(cluster: SimulatedCluster, settings: string, behavior: number): void {
  const account = {
    owner: systemProgram,
    lamports: rentExemptionFor(1),
    data: Uint8Array.of(behavior),
    executable: false,
  };
  cluster.change(() => new Map([[settings, account]]));
}
