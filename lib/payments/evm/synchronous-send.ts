import {
  formatTransactionReceipt,
  type Hex,
  RpcRequestError,
  type RpcTransactionReceipt,
  type TransactionReceipt,
} from 'viem';
import { z } from 'zod';
import { type RpcNode, RpcSilent } from '@/lib/payments/rpc/rpc-node';
import type { Platform } from '@/lib/platform/platform';
import { isMined } from './mined-receipts';
import { callAlone } from './rpc-transports';

const method = 'eth_sendRawTransactionSync';
/** Not a transaction. A node refuses it in the same way whichever method it is sent with. */
const noTransaction = '0x00';
const probeTimeoutMs = 2_000;
const methodNotFound = -32_601;
/** EIP-7966: the transaction was accepted, and is in no block yet. */
const notYetMined = 4;
/**
 * How many requests may be open at a node. Each holds a connection until its block. One key sends about as many transactions
 * in a block of two seconds, because groups are at least a tenth of a second apart while others wait.
 */
const openMax = 16;
/** After so many failures in a row that other open requests do not explain, the node is probed again before the next one. */
const failuresMax = 3;

const hex = z.string().regex(/^0x[0-9a-fA-F]*$/);
const word = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
/** The fields of a receipt that are read. */
const receiptSchema = z.looseObject({
  transactionHash: word,
  // A node that answers before there is a block puts zeros here, or nothing.
  blockHash: word.nullish(),
  blockNumber: hex.nullish(),
  status: z.enum(['0x0', '0x1']),
  gasUsed: hex,
  effectiveGasPrice: hex,
  logs: z.array(z.looseObject({ address: hex, topics: z.array(word), data: hex })),
});

/** How a synchronous send ended. Only a receipt says anything about the transaction. */
export type SynchronousResult =
  | { readonly kind: 'mined'; readonly receipt: TransactionReceipt }
  /** The node has probably accepted the transaction. */
  | { readonly kind: 'waiting' }
  /** The node may have accepted the transaction or not. */
  | { readonly kind: 'failed' };

/**
 * Sends a transaction with `eth_sendRawTransactionSync` (EIP-7966), whose response is the receipt, so that nobody has to poll
 * for it. Not every node has the method, so each is probed.
 */
export class SynchronousSend {
  readonly #app: Pick<Platform, 'timings'>;
  readonly #node: RpcNode;
  /** Null while it is not known. */
  #isOffered: boolean | null = null;
  #open = 0;
  /** What the node accepts at once, as far as known. */
  #openMax = openMax;
  #failures = 0;

  constructor(app: Pick<Platform, 'timings'>, node: RpcNode) {
    this.#app = app;
    this.#node = node;
  }

  /** An RPC that may not work gets no transactions this way, because that would take longer than to send them to another. */
  get isOffered(): boolean {
    const isFree = this.#open < this.#openMax;
    return this.#isOffered === true && isFree && this.#node.fault === null && !this.#node.isOverdue;
  }

  /**
   * Finds out whether the node has the method, if that is not known. Nodes that lack it say so in many ways. A node has it if
   * it refuses bytes that are not a transaction in the same way as its `eth_sendRawTransaction` does.
   */
  async probe(): Promise<void> {
    if (this.#isOffered !== null || this.#node.fault !== null) return;
    const [usual, synchronous] = await Promise.all([
      this.#refusalOf('eth_sendRawTransaction'),
      this.#refusalOf(method),
    ]);
    if (usual === null || synchronous === null) return;
    const isSame = usual.code === synchronous.code && usual.details === synchronous.details;
    this.#isOffered = isSame && usual.code !== methodNotFound;
    this.#openMax = openMax;
    this.#failures = 0;
  }

  /** @returns null when the node did not answer with a JSON-RPC error */
  #refusalOf(name: string): Promise<RpcRequestError | null> {
    return callAlone(this.#node, { method: name, params: [noTransaction] }, probeTimeoutMs).then(
      () => null,
      (error: unknown) => (error instanceof RpcRequestError ? error : null),
    );
  }

  /** Never rejects, because the transaction may have been sent even after an error. */
  async send({ raw, hash }: { readonly raw: Hex; readonly hash: Hex }): Promise<SynchronousResult> {
    this.#open += 1;
    // Without a time limit as second parameter, because nodes disagree about its form.
    const call = { method, params: [raw] };
    const answered = callAlone(this.#node, call, this.#app.timings.evm.synchronousMs);
    try {
      const answer = await answered.finally(() => {
        this.#open -= 1;
      });
      this.#noteAnswer();
      const parsed = receiptSchema.safeParse(answer);
      if (!parsed.success || parsed.data.transactionHash !== hash) return { kind: 'waiting' };
      // The schema has checked the fields that are read.
      const receipt = formatTransactionReceipt(answer as RpcTransactionReceipt);
      return isMined(receipt) ? { kind: 'mined', receipt } : { kind: 'waiting' };
    } catch (error) {
      return this.#afterError(error);
    }
  }

  async #afterError(error: unknown): Promise<SynchronousResult> {
    if (error instanceof RpcRequestError && error.code === notYetMined) {
      this.#noteAnswer();
      return { kind: 'waiting' };
    }
    const isSilent = error instanceof RpcSilent;
    const isMissing = error instanceof RpcRequestError && error.code === methodNotFound;
    if (isMissing || (isSilent && !(await this.#node.isAlive()))) {
      this.#isOffered = null;
      return { kind: 'failed' };
    }
    this.#noteFailure();
    // It waits for the block.
    return { kind: isSilent ? 'waiting' : 'failed' };
  }

  #noteAnswer(): void {
    this.#failures = 0;
    this.#openMax = Math.min(this.#openMax + 1, openMax);
  }

  /**
   * The node may allow fewer open requests, or refuse a nonce whose predecessor it does not know yet. Neither is a reason to
   * send no transaction this way. One that always fails is probed again with the next check, so that it does not slow down
   * every payment.
   */
  #noteFailure(): void {
    if (this.#open > 0) {
      this.#openMax = Math.min(this.#openMax, this.#open);
      return;
    }
    this.#failures += 1;
    if (this.#failures >= failuresMax) this.#isOffered = null;
  }
}
