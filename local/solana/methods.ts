import { randomBytes } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';
import { encodeAccount } from './encoding';
import type { SolanaLedger } from './ledger';
import {
  type Config,
  readAddress,
  readAmount,
  readBytes,
  readCommitment,
  readConfig,
  readNumber,
  readStrings,
  readTokenAccountState,
} from './params';
import { invalidParams, RpcError } from './rpc-error';
import type { Commitment } from './slot-clock';
import {
  mintBytes,
  readMint,
  readTokenAccount,
  tokenAccountBytes,
  tokenProgram,
  toUiTokenAmount,
} from './token-account';

export type Method = (ledger: SolanaLedger, params: readonly unknown[]) => unknown;

const slotsPerEpoch = 432_000;
const apiVersion = '3.0.0';

/** The context of every response about state. */
export function contextOf(ledger: SolanaLedger, commitment: Commitment) {
  return { apiVersion, slot: ledger.clock.slot(commitment) };
}

/** Looks up the decimals of a mint. */
export function decimalsReader(ledger: SolanaLedger) {
  return (mint: string): number => ledger.state.decimalsOf(mint);
}

function withContext(ledger: SolanaLedger, config: Config, value: unknown) {
  return { context: { apiVersion, slot: slotFor(ledger, config) }, value };
}

function readSlice(config: Config) {
  const slice = readConfig(config.dataSlice);
  if (config.dataSlice === undefined) return undefined;
  return { offset: readNumber(slice.offset), length: readNumber(slice.length) };
}

function slotMethod(ledger: SolanaLedger, [first]: readonly unknown[]): number {
  return slotFor(ledger, readConfig(first));
}

/** The slot that a request is answered from. */
export function slotFor(ledger: SolanaLedger, config: Config): number {
  const slot = ledger.clock.slot(readCommitment(config.commitment));
  if (readNumber(config.minContextSlot, 0) > slot)
    throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: slot });
  return slot;
}

// Reads return the newest state for every commitment, because only `tuppence_rollback` creates forks.
export const readMethods: Record<string, Method> = {
  getAccountInfo(ledger, [address, second]) {
    const config = readConfig(second);
    const account = ledger.state.find(readAddress(address));
    return withContext(
      ledger,
      config,
      encodeAccount(account, config.encoding, decimalsReader(ledger), readSlice(config)),
    );
  },

  getMultipleAccounts(ledger, [list, second]) {
    const config = readConfig(second);
    const addresses = readStrings(list).map(readAddress);
    if (addresses.length > 100) throw invalidParams('Too many inputs provided; max 100');
    const decimalsOf = decimalsReader(ledger);
    const accounts = addresses.map((address) =>
      encodeAccount(ledger.state.find(address), config.encoding ?? 'base64', decimalsOf, readSlice(config)),
    );
    return withContext(ledger, config, accounts);
  },

  getBalance(ledger, [address, second]) {
    return withContext(ledger, readConfig(second), ledger.state.find(readAddress(address))?.lamports ?? 0);
  },

  getTokenAccountBalance(ledger, [address, second]) {
    const account = ledger.state.find(readAddress(address));
    if (!account) throw invalidParams('Invalid param: could not find account');
    if (account.owner !== tokenProgram || account.data.length !== tokenAccountBytes) {
      throw invalidParams('Invalid param: not a Token account');
    }
    const { mint, amount } = readTokenAccount(account.data);
    return withContext(ledger, readConfig(second), toUiTokenAmount(amount, decimalsReader(ledger)(mint)));
  },

  getTokenSupply(ledger, [address, second]) {
    const account = ledger.state.find(readAddress(address));
    if (account?.data.length !== mintBytes) throw invalidParams('Invalid param: not a Token mint');
    const { supply, decimals } = readMint(account.data);
    return withContext(ledger, readConfig(second), toUiTokenAmount(supply, decimals));
  },

  getTokenAccountsByOwner(ledger, [owner, filter, third]) {
    const config = readConfig(third);
    const { mint, programId } = readConfig(filter);
    if (mint === undefined && programId === undefined)
      throw invalidParams('Invalid params: expected mint or programId.');
    const decimalsOf = decimalsReader(ledger);
    const value = ledger.state
      .listTokenAccounts(readAddress(owner))
      .filter(() => programId === undefined || programId === tokenProgram)
      .filter(({ account }) => mint === undefined || readTokenAccount(account.data).mint === mint)
      .map(({ address, account }) => ({
        pubkey: address,
        account: encodeAccount(account, config.encoding, decimalsOf, readSlice(config)),
      }));
    return withContext(ledger, config, value);
  },

  getLatestBlockhash(ledger, [first]) {
    const config = readConfig(first);
    const slot = ledger.clock.slot(readCommitment(config.commitment));
    const lastValidBlockHeight = ledger.clock.lastValidBlockHeight(slot);
    return withContext(ledger, config, { blockhash: ledger.clock.blockhashOf(slot), lastValidBlockHeight });
  },

  isBlockhashValid(ledger, [blockhash, second]) {
    const config = readConfig(second);
    const commitment = readCommitment(config.commitment);
    return withContext(ledger, config, ledger.clock.isBlockhashValid(String(blockhash), commitment));
  },

  getSlot: slotMethod,
  getBlockHeight: (ledger, params) => ledger.clock.heightOf(slotMethod(ledger, params)),

  getEpochInfo(ledger, [first]) {
    const absoluteSlot = ledger.clock.slot(readCommitment(readConfig(first).commitment));
    const slotIndex = absoluteSlot % slotsPerEpoch;
    const epoch = Math.floor(absoluteSlot / slotsPerEpoch);
    return {
      absoluteSlot,
      blockHeight: ledger.clock.heightOf(absoluteSlot),
      epoch,
      slotIndex,
      slotsInEpoch: slotsPerEpoch,
      transactionCount: absoluteSlot,
    };
  },

  getGenesisHash: (ledger) => ledger.network.genesisHash,
  getVersion: () => ({ 'solana-core': apiVersion, 'feature-set': 0 }),
  getHealth: () => 'ok',
  getMinimumBalanceForRentExemption: (ledger, [bytes]) => ledger.state.rentExemptionFor(readNumber(bytes)),
  getRecentPrioritizationFees: (ledger) => [{ slot: ledger.clock.slot('confirmed'), prioritizationFee: 0 }],

  async requestAirdrop(ledger, [address, lamports]) {
    await ledger.change((accounts) => accounts.addLamports(readAddress(address), readNumber(lamports)));
    // A made-up signature: no transaction happens, and the lamports are there when the call returns.
    return getBase58Decoder().decode(randomBytes(64));
  },
};

/** Control of the local chain, for tests. No validator has these methods. */
export const controlMethods: Record<string, Method> = {
  tuppence_advanceSlots: (ledger, [slots]) => ledger.advanceSlots(readNumber(slots, 1)),

  tuppence_setTokenBalance: (ledger, [owner, amount]) =>
    ledger.change((accounts) => accounts.setTokenBalance(readAddress(owner), readAmount(amount))),

  /** `frozen`, as Circle can make an account, `initialized`, or `closed`. */
  tuppence_setTokenAccountState: (ledger, [owner, state]) =>
    ledger.change((accounts) =>
      accounts.setTokenAccountState(readAddress(owner), readTokenAccountState(state)),
    ),

  /** Places a program, in its ELF file as base64. */
  tuppence_deployProgram: (ledger, [address, elf]) =>
    ledger.change((accounts) => accounts.deployProgram(readAddress(address), readBytes(elf))),

  /** Sets an account's data, in base64. */
  tuppence_setAccountData: (ledger, [address, data]) =>
    ledger.change((accounts) => accounts.setData(readAddress(address), readBytes(data))),

  tuppence_rollback: (ledger, [signature]) => ledger.rollback(String(signature)),
};
