import { solanaNetwork } from '@/local/networks';
import type { Account } from '@/local/solana/accounts';
import {
  associatedAddressOf,
  newTokenAccount,
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
