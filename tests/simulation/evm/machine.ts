import { type Hex, keccak256 as keccakOfHex } from 'viem';
import { encodeCodeQuery } from '@/lib/payments/evm/account-code';
import type { EvmNetwork } from '@/lib/payments/network-offers';
import { batchSettlement, collectorAddress, depositCollector, settlementAddress } from './batch-settlement';
import { type Call, type Contract, failed, type Result, succeeded } from './call';
import { GasMeter } from './gas';
import { Frame, keys } from './state';
import { Usdc } from './usdc';
import { decodeCalls, encodeStructs, word } from './words';

/** All gas is gone. */
const exhausted = (gas: number): Result => failed('0x', gas);

/** What the code of a contract wallet says to a question about a signature (ERC-1271), or does instead. */
export type WalletBehavior = (frame: Frame, call: Call) => 'yes' | 'no' | 'reverts' | 'burns';

const multicall3: Hex = '0xca11bde05977b3631167028862be2a173976ca11';
const identity: Hex = '0x0000000000000000000000000000000000000004';
/** Stands for the code of contracts that are written in TypeScript here. */
const someCode: Hex = '0xfe';
const codeQuery = encodeCodeQuery([]);
const yes: Hex = `0x1626ba7e${'0'.repeat(56)}`;

/** Gas before and after each call of a batch, of a byte of their data, and of a wallet's answer. */
const gasOf = { before: 500, after: 600, byte: 3, multicall: 1_200, wallet: 100 } as const;

/** The contracts of a chain, and how they call each other. */
export class Machine {
  readonly usdc: Usdc;
  readonly #contracts = new Map<string, Contract>();
  readonly #wallets = new Map<string, WalletBehavior>();

  /**
   * @param hasGasLimits whether the network's multicall with gas limits has been deployed
   * @param withdrawalSpeed how many times as fast as elsewhere the delay of a payment channel's withdrawal passes
   */
  constructor(network: EvmNetwork, hasGasLimits: boolean, withdrawalSpeed = 1) {
    this.usdc = new Usdc(network);
    this.#contracts.set(this.usdc.address, this.usdc.contract);
    this.#contracts.set(multicall3, aggregate3);
    this.#contracts.set(settlementAddress, batchSettlement(network, withdrawalSpeed));
    this.#contracts.set(collectorAddress, depositCollector);
    this.#contracts.set(identity, (_, { data }) =>
      succeeded(data, 15 + 3 * Math.ceil((data.length - 2) / 64)),
    );
    if (hasGasLimits && network.interfaceMulticall !== null)
      this.#contracts.set(network.interfaceMulticall.toLowerCase(), multicall);
  }

  /** Says what a code does. Equal codes do the same. */
  define(code: Hex, behavior: WalletBehavior): void {
    this.#wallets.set(code, behavior);
  }

  codeAt(frame: Frame, address: Hex): Hex {
    const code = frame.get(keys.code(address));
    if (typeof code === 'string') return code as Hex;
    return this.#contracts.has(address) && address !== identity ? someCode : '0x';
  }

  /** Runs a call within a frame, and keeps its changes there if it succeeds. */
  call(frame: Frame, call: Call): Result {
    const inner = new Frame(frame);
    const result = this.#run(inner, call);
    if (result.gasUsed > call.gas) return exhausted(call.gas);
    if (result.success) frame.keep(inner);
    return result;
  }

  #run(frame: Frame, call: Call): Result {
    const contract = this.#contracts.get(call.to);
    if (contract) return contract(frame, call);
    const code = this.codeAt(frame, call.to);
    return code === '0x' ? succeeded('0x', 0) : this.#askWallet(frame, call, code);
  }

  /** The code of a delegated account (EIP-7702) is that of its delegate, which is known by the designator here. */
  #askWallet(frame: Frame, call: Call, code: Hex): Result {
    switch (this.#wallets.get(code)?.(frame, call) ?? 'reverts') {
      case 'yes':
        return succeeded(yes, gasOf.wallet);
      case 'no':
        return succeeded(`0x${word(0)}`, gasOf.wallet);
      case 'burns':
        return exhausted(call.gas);
      case 'reverts':
        return failed('0x', gasOf.wallet);
    }
  }

  /**
   * Runs creation code, as a call without recipient does. Only the code that reads others' code is known.
   * @returns null for other code
   */
  create(frame: Frame, data: Hex): Result | null {
    if (!data.startsWith(codeQuery)) return null;
    const addresses = data.slice(codeQuery.length).match(/.{64}/g) ?? [];
    const answers = addresses.map((digits) => this.#codeWords(frame, `0x${digits.slice(24)}`));
    return succeeded(`0x${word(0)}${answers.join('')}`, 53_000 + 5_500 * addresses.length);
  }

  /** The hash of an account's code, and its first 32 bytes. */
  #codeWords(frame: Frame, address: Hex): string {
    const code = this.codeAt(frame, address);
    if (code !== '0x') return keccakOfHex(code).slice(2) + code.slice(2, 66).padEnd(64, '0');
    const isEmpty = frame.number(keys.gas(address)) === 0n && frame.number(keys.nonce(address)) === 0n;
    return (isEmpty ? word(0) : keccakOfHex('0x').slice(2)) + word(0);
  }
}

/** Runs the calls of a batch in order. */
function runBatch(
  frame: Frame,
  call: Call,
  limitOf: (option: bigint) => number,
): { results: (Result & { readonly option: bigint })[]; gasUsed: number } {
  const gas = new GasMeter(call.warm, gasOf.multicall);
  const results = decodeCalls(call.data).map(({ target, option, data }) => {
    gas.take(gasOf.before + gasOf.byte * (data.length / 2 - 1));
    gas.account(target);
    // A call gets at most 63/64 of what is left (EIP-150).
    const left = Math.max(0, Math.floor(((call.gas - gas.used) * 63) / 64));
    const limit = Math.min(left, limitOf(option));
    const result = call.machine.call(frame, { ...call, from: call.to, to: target, data, gas: limit });
    gas.take(result.gasUsed + gasOf.after);
    return { ...result, option };
  });
  return { results, gasUsed: gas.used };
}

const unlimited = Number.MAX_SAFE_INTEGER;
const multicallSelector = '0x1749e1e3';
const aggregate3Selector = '0x82ad56cb';

/** Uniswap's interface multicall: each call has its own gas limit. */
const multicall: Contract = (frame, call) => {
  if (!call.data.startsWith(multicallSelector)) return failed('0x', gasOf.multicall);
  const { results, gasUsed } = runBatch(frame, call, Number);
  const structs = results.map((one) => ({
    words: word(one.success ? 1 : 0) + word(one.gasUsed),
    data: one.data,
  }));
  return succeeded(`0x${word(call.block.number)}${word(64)}${encodeStructs(structs)}`, gasUsed);
};

/** Multicall3's `aggregate3`: a call may fail if that is said. */
const aggregate3: Contract = (frame, call) => {
  if (!call.data.startsWith(aggregate3Selector)) return failed('0x', gasOf.multicall);
  const { results, gasUsed } = runBatch(frame, call, () => unlimited);
  if (results.some(({ success, option }) => !success && option === 0n)) return failed('0x', gasUsed);
  const structs = results.map((one) => ({ words: word(one.success ? 1 : 0), data: one.data }));
  return succeeded(`0x${word(32)}${encodeStructs(structs)}`, gasUsed);
};
