import { solanaNetwork } from '@/local/networks';
import type { Account } from '@/local/solana/accounts';
import { encodeAccount } from '@/local/solana/encoding';
import {
  type Config,
  readAddress,
  readCommitment,
  readConfig,
  readNumber,
  readStrings,
} from '@/local/solana/params';
import { invalidParams, RpcError } from '@/local/solana/rpc-error';
import { tokenProgram, toUiTokenAmount } from '@/local/solana/token-account';
import type { DecodedTransaction } from '@/local/solana/transaction';
import { addressOf, isTokenAccount, rentExemptionFor, tokenFields } from './accounts';
import { decimalsOf } from './bank';
import type { Block } from './blocks';
import { blockhashLifetime, type View } from './view';

/** A node at the moment of a request. */
export interface Asked {
  readonly view: View;
  hasValidSignatures(transaction: DecodedTransaction): boolean;
  /** @param maxRetries how often it is sent again; until its blockhash expires if left out */
  submit(transaction: DecodedTransaction, wireBase64: string, maxRetries?: number): void;
}

export type Method = (asked: Asked, params: readonly unknown[]) => unknown;

const apiVersion = '3.0.0';
const slotsPerEpoch = 432_000;
const addressesMax = 100;

export function contextOf({ slot }: Block) {
  return { apiVersion, slot };
}

/** The block that a request is answered from. @throws RpcError when the node has not reached the slot that it wants */
export function bankFor({ view }: Asked, { commitment, minContextSlot }: Config): Block {
  const bank = view.bank(readCommitment(commitment));
  if (readNumber(minContextSlot, 0) > bank.slot)
    throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: bank.slot });
  return bank;
}

function answerFrom(bank: Block, value: unknown) {
  return { context: contextOf(bank), value };
}

function sliceOf({ dataSlice }: Config) {
  if (dataSlice === undefined) return undefined;
  const slice = readConfig(dataSlice);
  return { offset: readNumber(slice.offset), length: readNumber(slice.length) };
}

export function encodeIn(
  bank: Block,
  account: Account | undefined,
  config: Config,
  encoding = config.encoding,
) {
  return encodeAccount(account, encoding, (mint) => decimalsOf(bank.state, mint), sliceOf(config));
}

/** What clients read of the cluster's state. */
export const readMethods: Readonly<Record<string, Method>> = {
  getAccountInfo(asked, [address, second]) {
    const config = readConfig(second);
    const bank = bankFor(asked, config);
    return answerFrom(bank, encodeIn(bank, bank.state.find(readAddress(address)), config));
  },

  getMultipleAccounts(asked, [list, second]) {
    const config = readConfig(second);
    const bank = bankFor(asked, config);
    const addresses = readStrings(list).map(readAddress);
    if (addresses.length > addressesMax) throw invalidParams(`Too many inputs provided; max ${addressesMax}`);
    const encoding = config.encoding ?? 'base64';
    return answerFrom(
      bank,
      addresses.map((address) => encodeIn(bank, bank.state.find(address), config, encoding)),
    );
  },

  getBalance(asked, [address, second]) {
    const bank = bankFor(asked, readConfig(second));
    return answerFrom(bank, bank.state.find(readAddress(address))?.lamports ?? 0);
  },

  getTokenAccountBalance(asked, [address, second]) {
    const bank = bankFor(asked, readConfig(second));
    const account = bank.state.find(readAddress(address));
    if (!account) throw invalidParams('Invalid param: could not find account');
    if (!isTokenAccount(account)) throw invalidParams('Invalid param: not a Token account');
    const { mint, amount } = tokenFields(account);
    return answerFrom(bank, toUiTokenAmount(amount, decimalsOf(bank.state, addressOf(mint))));
  },

  getTokenAccountsByOwner(asked, [owner, filter, third]) {
    const config = readConfig(third);
    const { mint, programId } = readConfig(filter);
    if (mint === undefined && programId === undefined)
      throw invalidParams('Invalid params: expected mint or programId.');
    const bank = bankFor(asked, config);
    const wanted = readAddress(owner);
    const value = [...bank.state.addresses()].flatMap((address) => {
      const account = bank.state.find(address);
      if (!isTokenAccount(account) || (programId !== undefined && programId !== tokenProgram)) return [];
      const fields = tokenFields(account);
      if (addressOf(fields.owner) !== wanted) return [];
      if (mint !== undefined && addressOf(fields.mint) !== mint) return [];
      return [{ pubkey: address, account: encodeIn(bank, account, config) }];
    });
    return answerFrom(bank, value);
  },

  getLatestBlockhash(asked, [first]) {
    const bank = bankFor(asked, readConfig(first));
    const blockhash = asked.view.blocks.hashOf(bank);
    return answerFrom(bank, { blockhash, lastValidBlockHeight: bank.height + blockhashLifetime });
  },

  isBlockhashValid(asked, [blockhash, second]) {
    const bank = bankFor(asked, readConfig(second));
    return answerFrom(bank, asked.view.isBlockhashValid(String(blockhash), bank));
  },

  getSlot: (asked, [first]) => bankFor(asked, readConfig(first)).slot,
  getBlockHeight: (asked, [first]) => bankFor(asked, readConfig(first)).height,

  getEpochInfo(asked, [first]) {
    const { slot, height } = bankFor(asked, readConfig(first));
    return {
      absoluteSlot: slot,
      blockHeight: height,
      epoch: Math.floor(slot / slotsPerEpoch),
      slotIndex: slot % slotsPerEpoch,
      slotsInEpoch: slotsPerEpoch,
      transactionCount: slot,
    };
  },

  getGenesisHash: () => solanaNetwork.genesisHash,
  getVersion: () => ({ 'solana-core': apiVersion, 'feature-set': 0 }),
  getHealth: () => 'ok',
  getMinimumBalanceForRentExemption: (_, [bytes]) => rentExemptionFor(readNumber(bytes)),
};
