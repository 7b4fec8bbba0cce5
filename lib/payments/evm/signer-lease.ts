import type { PreparedTransaction, SettlementJournal } from '@/lib/payments/payment';
import type { Platform } from '@/lib/platform/platform';
import type { EvmChain } from './chain';
import type { PendingTransactions } from './pending-transactions';
import { fromPrepared, toEvmCharge } from './settlement-transaction';
import type { EvmSigner } from './signer';

/** A signer that this process has, and the nonce that its next transaction gets. */
export interface Held {
  readonly signer: EvmSigner;
  next: number;
}

/**
 * Which of its keys a process may send with: at most one, leased in the database, so that no two processes allocate the
 * same nonce. Taken when it is first needed; kept by the heartbeat; lost when that stops. Whoever takes a signer takes up
 * what its last holder left open.
 */
export class SignerLease {
  readonly #app: Platform;
  readonly #chain: EvmChain;
  readonly #signers: readonly EvmSigner[];
  readonly #journal: SettlementJournal;
  readonly #pending: PendingTransactions;
  #held: Held | null = null;
  #refreshedAt = 0;
  #gap: { nonce: number; since: number } | null = null;

  constructor(
    app: Platform,
    chain: EvmChain,
    signers: readonly EvmSigner[],
    journal: SettlementJournal,
    pending: PendingTransactions,
  ) {
    this.#app = app;
    this.#chain = chain;
    this.#signers = signers;
    this.#journal = journal;
    this.#pending = pending;
  }

  get held(): Held | null {
    return this.#held;
  }

  get hasKeys(): boolean {
    return this.#signers.length > 0;
  }

  /** Takes the first of our signers that no other live process has; null when there is none. */
  async take(): Promise<Held | null> {
    const network = this.#chain.offer.network.name;
    for (const signer of this.#signers) {
      const lease = await this.#journal.lease(network, signer.address, this.#pending.hashes());
      if (!lease) continue;
      const onChain = await this.#chain.client.getTransactionCount({
        address: signer.address,
        blockTag: 'pending',
      });
      const stored = lease.nextNonce === null ? 0 : Number(lease.nextNonce);
      this.#held = { signer, next: Math.max(onChain, stored) };
      this.#takeUp(this.#held, lease.open);
      this.#app.log.info({ network, signer: signer.address, nonce: this.#held.next }, 'a signer was leased');
      return this.#held;
    }
    return null;
  }

  /** Is the signer still ours, and is there anything of it that nobody follows? */
  async refresh(): Promise<void> {
    const held = this.#held;
    if (!held || this.#app.clock.now() - this.#refreshedAt < this.#app.timings.evm.leaseRefreshMs) return;
    this.#refreshedAt = this.#app.clock.now();
    const network = this.#chain.offer.network.name;
    const lease = await this.#journal.lease(network, held.signer.address, this.#pending.hashes());
    if (lease) this.#takeUp(held, lease.open);
    else this.forget();
  }

  /** The nonce for the next transaction; counted on by `allocated`, once it is written down. */
  nextNonce(held: Held): number {
    while (this.#pending.uses(held.signer, held.next)) held.next += 1;
    return held.next;
  }

  allocated(held: Held, nonce: number): void {
    held.next = Math.max(held.next, nonce + 1);
  }

  /** Something went wrong between us and the ledger: before the next transaction it is asked anew. */
  forget(): void {
    this.#held = null;
  }

  async giveBack(): Promise<void> {
    const held = this.#held;
    if (!held) return;
    this.#held = null;
    await this.#journal.giveBack(this.#chain.offer.network.name, held.signer.address);
  }

  /** The nonce that the chain waits for, when transactions wait behind it and none has it; null otherwise. */
  async findGap({ signer }: Held): Promise<number | null> {
    const lowest = this.#pending.lowest(signer);
    if (lowest === null) return this.#noGap();
    if (
      this.#gap &&
      this.#gap.nonce < lowest &&
      this.#app.clock.now() - this.#gap.since < this.#app.timings.evm.gapPatienceMs
    )
      return null;
    const awaited = await this.#chain.client.getTransactionCount({ address: signer.address });
    if (awaited >= lowest) return this.#noGap();
    if (this.#gap?.nonce === awaited) return awaited;
    this.#gap = { nonce: awaited, since: this.#app.clock.now() };
    return null;
  }

  #noGap(): null {
    this.#gap = null;
    return null;
  }

  /** Follows what the last holder left open, or what an error of ours left unfollowed. */
  #takeUp({ signer, next }: Held, open: readonly PreparedTransaction[]): void {
    const nonces = new Set(open.map(({ nonce }) => Number(nonce)));
    for (const nonce of nonces) {
      // What has the next nonce is being written down by us at this moment.
      if (nonce >= next) continue;
      const variants = open.filter((transaction) => Number(transaction.nonce) === nonce);
      this.#pending.takeUp({
        signer,
        nonce,
        charges: variants.flatMap(({ charges }) => charges.map(toEvmCharge)),
        variants: variants.map(fromPrepared),
      });
    }
  }
}
