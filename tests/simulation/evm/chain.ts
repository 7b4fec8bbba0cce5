import type { Hex } from 'viem';
import type { EvmNetwork } from '@/lib/payments/network-offers';
import type { Clock } from '@/lib/platform/clock';
import { type Block, Blocks, type Mined } from './blocks';
import { execute, tipOf } from './execute';
import { intrinsicGas } from './gas';
import { Machine, type WalletBehavior } from './machine';
import { costOf, Mempool, Rejected } from './mempool';
import { readTransaction, type Transaction } from './raw-transaction';
import { Frame, keys } from './state';
import { hashOf, hexOf } from './words';

export interface ChainOptions {
  readonly network: EvmNetwork;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly blockMs?: number;
  readonly gasLimit?: number;
  /** The least fee per gas in wei, and the first. */
  readonly baseFeeMin?: bigint;
  readonly tip?: bigint;
  /** How far behind the newest block the `safe` and `finalized` ones are. No reorganization is deeper than the second. */
  readonly safeAfter?: number;
  readonly finalizedAfter?: number;
  readonly hasGasLimits?: boolean;
  readonly withdrawalSpeed?: number;
}

/** What happens to a transaction of a block that a reorganization removes. */
export type Fate = 'returns' | 'lost';

/** A call by somebody who needs no key here. */
export interface Act {
  readonly to: Hex;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: number;
  readonly tip?: bigint;
}

const firstBlock = 1_000;

/**
 * An EVM chain in this process. Blocks come by the clock that is passed in, and nothing is random: whoever uses it decides
 * about reorganizations, other transactions, and how full blocks are.
 */
export class SimulatedChain {
  readonly network: EvmNetwork;
  readonly machine: Machine;
  readonly blocks = new Blocks();
  readonly mempool = new Mempool();
  readonly gasLimit: number;
  readonly tip: bigint;
  /** How much gas transactions that are of no interest here take in each block. */
  othersGas = 0;
  /** The base fee of the next blocks, in wei; null when it follows from how full blocks are. */
  baseFeeOfNext: bigint | null = null;
  /** Whether a block passes over a transaction, although it pays enough. */
  passesOver: (transaction: Transaction) => boolean = () => false;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #options: Required<Pick<ChainOptions, 'blockMs' | 'baseFeeMin' | 'safeAfter' | 'finalizedAfter'>>;
  readonly #onBlock = new Set<() => void>();
  /** Those that have been broadcast, because reading them again takes time. */
  readonly #broadcasts = new Map<string, Transaction>();
  #branches = 0;

  constructor({ network, clock, ...options }: ChainOptions) {
    this.network = network;
    this.#clock = clock;
    this.machine = new Machine(network, options.hasGasLimits ?? true, options.withdrawalSpeed);
    this.gasLimit = options.gasLimit ?? 60_000_000;
    this.tip = options.tip ?? 1_000_000n;
    this.#options = {
      blockMs: options.blockMs ?? 2_000,
      baseFeeMin: options.baseFeeMin ?? 5_000_000n,
      safeAfter: options.safeAfter ?? 10,
      finalizedAfter: options.finalizedAfter ?? 20,
    };
    this.blocks.append({
      number: firstBlock,
      hash: this.#nextHash(firstBlock),
      parent: null,
      timestamp: this.#seconds,
      baseFeePerGas: this.#options.baseFeeMin,
      gasUsed: 0,
      transactions: [],
      writes: new Map(),
    });
  }

  get head(): Block {
    return this.blocks.head;
  }

  get #seconds(): number {
    return Math.floor(this.#clock.now() / 1_000);
  }

  /** Mines a block after each interval from now on. */
  start(): void {
    this.#clock.after(this.#options.blockMs, () => {
      this.mine();
      this.start();
    });
  }

  /** Gives an account money for gas, in wei, before the first block. */
  giveGas(account: Hex, wei: bigint): void {
    this.blocks.change(keys.gas(account.toLowerCase()), wei);
  }

  /** Gives an account atomic USDC, before the first block. */
  giveUsdc(account: Hex, atomic: bigint): void {
    this.blocks.change(keys.usdc(account.toLowerCase()), atomic);
  }

  /** Makes an account a contract wallet, before the first block. */
  deployWallet(account: Hex, code: Hex, behavior: WalletBehavior): void {
    this.machine.define(code, behavior);
    this.blocks.change(keys.code(account.toLowerCase()), code);
  }

  usdcOf(account: Hex, block = this.head): bigint {
    return this.#read(keys.usdc(account.toLowerCase()), block);
  }

  nonceOf(account: Hex, block = this.head): number {
    return Number(this.#read(keys.nonce(account.toLowerCase()), block));
  }

  gasOf(account: Hex, block = this.head): bigint {
    return this.#read(keys.gas(account.toLowerCase()), block);
  }

  #read(key: string, block: Block): bigint {
    const value = this.blocks.stateAfter(block).get(key);
    return typeof value === 'bigint' ? value : 0n;
  }

  /** The block that a tag names on a branch; the first one while there are too few. */
  tagged(tag: 'latest' | 'safe' | 'finalized', branch = this.head): Block {
    const { safeAfter, finalizedAfter } = this.#options;
    const behind = { latest: 0, safe: safeAfter, finalized: finalizedAfter }[tag];
    const number = Math.max(firstBlock, branch.number - behind);
    return this.blocks.ancestor(branch, number) ?? branch;
  }

  /**
   * Accepts a signed transaction into the memory of the nodes.
   * @returns its hash
   * @throws Rejected or NotATransaction
   */
  broadcast(raw: string): Hex {
    const transaction = this.#broadcasts.get(raw) ?? readTransaction(raw);
    this.#broadcasts.set(raw, transaction);
    const { from, data, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
    if (transaction.chainId !== this.network.chainId)
      throw new Rejected(
        `invalid chain id for signer: have ${transaction.chainId} want ${this.network.chainId}`,
      );
    if (this.blocks.blockOf(transaction.hash, this.head)) throw new Rejected('already known');
    if (maxPriorityFeePerGas > maxFeePerGas)
      throw new Rejected('max priority fee per gas higher than max fee per gas');
    if (gas > this.gasLimit) throw new Rejected('exceeds block gas limit');
    const { first, least } = intrinsicGas(data);
    if (gas < first) throw new Rejected(`intrinsic gas too low: gas ${gas}, minimum needed ${first}`);
    if (gas < least)
      throw new Rejected(`insufficient gas for floor data gas cost: gas ${gas}, minimum needed ${least}`);
    this.mempool.add(transaction, this.nonceOf(from), this.gasOf(from));
    return transaction.hash;
  }

  /** Broadcasts a transaction of somebody without asking for a signature. Gas money is given if needed. @returns its hash */
  act(account: Hex, { to, data = '0x', value = 0n, gas = 300_000, tip = 2n * this.tip }: Act): Hex {
    const from = account.toLowerCase() as Hex;
    const nonce = this.mempool.nextNonce(from, this.nonceOf(from));
    const hash = hashOf(`0x${from.slice(2)}${hexOf(nonce).slice(2).padStart(16, '0')}${data.slice(2)}`);
    const fee = 100n * this.head.baseFeePerGas + tip;
    this.mempool.add(
      {
        ...{ hash, from, nonce, to: to.toLowerCase() as Hex, data, value, gas },
        ...{ maxFeePerGas: fee, maxPriorityFeePerGas: tip, chainId: this.network.chainId },
        signature: [0, '0x1', '0x1'],
        isFree: true,
      },
      this.nonceOf(from),
      value + BigInt(gas) * fee,
    );
    return hash;
  }

  /** Mines a block from what is waiting. @param timestamp in seconds; by the clock if not given */
  mine(timestamp = this.#seconds): Block {
    const parent = this.head;
    const number = parent.number + 1;
    const baseFeePerGas = this.#nextBaseFee(parent);
    // Chains with several blocks in a second repeat its number.
    const block = { number, timestamp: Math.max(timestamp, parent.timestamp) };
    const frame = new Frame(this.blocks.state);
    const transactions: Mined[] = [];
    let gasUsed = this.othersGas;
    let firstLog = 0;
    const passed = new Set<Hex>();
    for (;;) {
      const next = this.#nextTransaction(frame, baseFeePerGas, this.gasLimit - gasUsed, passed);
      if (!next) break;
      const at = { ...block, baseFeePerGas, index: transactions.length, firstLog };
      const mined = execute(this.machine, frame, next, at);
      transactions.push(mined);
      gasUsed += mined.gasUsed;
      firstLog += mined.logs.length;
    }
    const { writes } = frame;
    const hash = this.#nextHash(number);
    const appended = this.blocks.append({
      ...block,
      hash,
      parent,
      baseFeePerGas,
      gasUsed,
      transactions,
      writes,
    });
    for (const { transaction } of transactions)
      this.mempool.prune(transaction.from, this.nonceOf(transaction.from));
    for (const run of [...this.#onBlock]) run();
    return appended;
  }

  /** Calls `run` after each block. @returns a function that ends this */
  onBlock(run: () => void): () => void {
    this.#onBlock.add(run);
    return () => this.#onBlock.delete(run);
  }

  /** EIP-1559: up or down by an eighth at most, depending on how full the block before was. */
  #nextBaseFee({ baseFeePerGas, gasUsed }: Block): bigint {
    if (this.baseFeeOfNext !== null) return this.baseFeeOfNext;
    const target = BigInt(this.gasLimit / 2);
    const change = (baseFeePerGas * (BigInt(gasUsed) - target)) / target / 8n;
    const next = baseFeePerGas + change;
    return next < this.#options.baseFeeMin ? this.#options.baseFeeMin : next;
  }

  /** The transaction that pays most and can be next in the block. */
  #nextTransaction(frame: Frame, baseFee: bigint, gasLeft: number, passed: Set<Hex>): Transaction | null {
    let best: { transaction: Transaction; tip: bigint; arrival: number } | null = null;
    for (const sender of this.mempool.senders()) {
      if (passed.has(sender)) continue;
      const waiting = this.mempool.at(sender, Number(frame.number(keys.nonce(sender))));
      if (!waiting) continue;
      const { transaction, arrival } = waiting;
      const canPay = transaction.isFree || frame.number(keys.gas(sender)) >= costOf(transaction);
      if (!canPay || transaction.maxFeePerGas < baseFee || transaction.gas > gasLeft) continue;
      const tip = tipOf(transaction, baseFee);
      if (!best || tip > best.tip || (tip === best.tip && arrival < best.arrival))
        best = { transaction, tip, arrival };
    }
    if (!best) return null;
    if (!this.passesOver(best.transaction)) return best.transaction;
    passed.add(best.transaction.from);
    return this.#nextTransaction(frame, baseFee, gasLeft, passed);
  }

  /** What a transaction would do in the next block, if it were the first there. */
  preview(transaction: Transaction): Mined {
    const { number, timestamp, baseFeePerGas } = this.head;
    const at = { number: number + 1, timestamp, baseFeePerGas, index: 0, firstLog: 0 };
    return execute(this.machine, new Frame(this.blocks.state), transaction, at);
  }

  /** Whether that many blocks are not final. */
  canReorganize(depth: number): boolean {
    return depth > 0 && depth <= this.#options.finalizedAfter && this.head.number - depth >= firstBlock;
  }

  /**
   * Replaces the newest blocks with as many others of the same times.
   * @param fateOf what happens to each of their transactions; those that return are mined again at once unless `isDelayed`
   */
  reorganize(
    depth: number,
    {
      fateOf = () => 'returns',
      isDelayed = false,
    }: { fateOf?: (hash: Hex) => Fate; isDelayed?: boolean } = {},
  ): void {
    if (!this.canReorganize(depth)) throw new Error(`${depth} blocks cannot be replaced`);
    const removed = Array.from({ length: depth }, () => this.blocks.remove()).reverse();
    this.#branches += 1;
    for (const { transaction } of removed.flatMap(({ transactions }) => transactions)) {
      if (fateOf(transaction.hash) === 'lost') continue;
      try {
        this.mempool.add(transaction, this.nonceOf(transaction.from), costOf(transaction));
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
      }
    }
    const { passesOver } = this;
    if (isDelayed) this.passesOver = () => true;
    for (const { timestamp } of removed) this.mine(timestamp);
    this.passesOver = passesOver;
  }

  /** Hashes differ between branches, and are the same in each run. */
  #nextHash(number: number): Hex {
    const { chainId } = this.network;
    return `0x${[chainId, this.#branches, number].map((one) => one.toString(16).padStart(16, '0')).join('')}${'b'.repeat(16)}`;
  }
}
