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

  constructor(app: Pick<Platform, 'timings'>, node: RpcNode) {
    this.#app = app;
    this.#node = node;
  }

  /** An RPC that may not work gets no transactions this way, because that would take longer than to send them to another. */
  get isOffered(): boolean {
    return this.#isOffered === true && this.#node.fault === null && !this.#node.isOverdue;
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
    try {
      // Without a time limit as second parameter, because nodes disagree about its form.
      const call = { method, params: [raw] };
      const answer = await callAlone(this.#node, call, this.#app.timings.evm.synchronousMs);
      const parsed = receiptSchema.safeParse(answer);
      if (!parsed.success || parsed.data.transactionHash !== hash) return { kind: 'waiting' };
      // The schema has checked the fields that are read.
      const receipt = formatTransactionReceipt(answer as RpcTransactionReceipt);
      return isMined(receipt) ? { kind: 'mined', receipt } : { kind: 'waiting' };
    } catch (error) {
      if (error instanceof RpcRequestError && error.code === notYetMined) return { kind: 'waiting' };
      // It waits for the block, unless it hangs.
      if (error instanceof RpcSilent && (await this.#node.isAlive())) return { kind: 'waiting' };
      // Probed again with the next check, so that a node without the method does not slow down every payment.
      this.#isOffered = null;
      return { kind: 'failed' };
    }
  }
}
