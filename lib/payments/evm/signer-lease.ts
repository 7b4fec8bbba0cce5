import type { OpenTransaction, Outbox, SignerLeases } from '@/lib/payments/journal';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { EvmChain } from './evm-chain';
import type { PendingTransactions } from './pending-transactions';
import { type EvmSigner, fromPrepared, toEvmCharge } from './settlement-transaction';

/** A leased signer and the nonce of its next transaction. */
export interface HeldLease {
  readonly signer: EvmSigner;
  next: number;
}

/**
 * Leases at most one of a process's keys in the database, so that no two processes allocate the same nonce. The lease
 * is taken when first needed, kept by the heartbeat, and lost when that stops. A process that takes over a signer
 * adopts its open transactions.
 */
export class SignerLease {
  readonly #app: ChainPlatform;
  readonly #chain: EvmChain;
  readonly #signers: readonly EvmSigner[];
  readonly #leases: SignerLeases;
  readonly #outbox: Pick<Outbox, 'withNonce'>;
  readonly #pending: PendingTransactions;
  #held: HeldLease | null = null;
  #refreshedAt = 0;
  /** When to ask the ledger again for a free key, after other processes held all of them. */
  #askAgainAt = 0;
  /** When to ask it again for keys whose transactions no process follows. */
  #followAgainAt = 0;
  /** Keys besides the held one that are leased until their open transactions have ended. */
  readonly #followed = new Set<EvmSigner>();
  #gap: { nonce: number; since: number } | null = null;

  constructor(
    app: ChainPlatform,
    chain: EvmChain,
    signers: readonly EvmSigner[],
    journal: { readonly leases: SignerLeases; readonly outbox: Pick<Outbox, 'withNonce'> },
    pending: PendingTransactions,
  ) {
    this.#app = app;
    this.#chain = chain;
    this.#signers = signers;
    this.#leases = journal.leases;
    this.#outbox = journal.outbox;
    this.#pending = pending;
  }

  get held(): HeldLease | null {
    return this.#held;
  }

  get hasKeys(): boolean {
    return this.#signers.length > 0;
  }

  /**
   * Leases the first signer that no other live process holds; null when there is none.
   * @param preferred the addresses that are tried first
   */
  async take(preferred: readonly string[]): Promise<HeldLease | null> {
    const { clock, timings } = this.#app;
    if (clock.monotonic() < this.#askAgainAt) return null;
    const network = this.#chain.offer.network.name;
    const isPreferred = ({ address }: EvmSigner) => preferred.includes(address);
    const others = this.#signers.filter((signer) => !isPreferred(signer));
    for (const signer of [...this.#signers.filter(isPreferred), ...others]) {
      const lease = await this.#leases.acquire(network, signer.address, this.#pending.hashes());
      if (!lease) continue;
      const onChain = await this.#chain.client.getTransactionCount({
        address: signer.address,
        blockTag: 'pending',
      });
      const stored = lease.nextNonce === null ? 0 : Number(lease.nextNonce);
      this.#held = { signer, next: Math.max(onChain, stored) };
      this.#adoptOpen(this.#held, lease.open);
      this.#app.log.info({ network, signer: signer.address, nonce: this.#held.next }, 'a signer was leased');
      return this.#held;
    }
    this.#askAgainAt = clock.monotonic() + timings.evm.leaseRetryMs;
    return null;
  }

  /** Renews the lease, and adopts open transactions that nobody follows. */
  async refresh(): Promise<void> {
    const held = this.#held;
    if (!held || this.#app.clock.monotonic() - this.#refreshedAt < this.#app.timings.evm.leaseRefreshMs)
      return;
    this.#refreshedAt = this.#app.clock.monotonic();
    const network = this.#chain.offer.network.name;
    const lease = await this.#leases.acquire(network, held.signer.address, this.#pending.hashes());
    if (lease) this.#adoptOpen(held, lease.open);
    else this.forget();
  }

  /**
   * Adopts the open transactions of this process's other keys that no live process holds. Otherwise, transactions left behind
   * by a process that never returns would be neither replaced nor recorded as long as this process has a key of its own.
   */
  async followOthers(): Promise<void> {
    const { clock, timings } = this.#app;
    if (clock.monotonic() < this.#followAgainAt) return;
    this.#followAgainAt = clock.monotonic() + timings.evm.leaseRefreshMs;
    const { name } = this.#chain.offer.network;
    for (const signer of this.#signers) {
      if (signer === this.#held?.signer) continue;
      const lease = await this.#leases.acquire(name, signer.address, this.#pending.hashes());
      if (!lease) continue;
      this.#followed.add(signer);
      // No nonces are allocated with this key here, so none of its transactions is about to be recorded.
      this.#adoptOpen({ signer, next: Number.POSITIVE_INFINITY }, lease.open);
    }
  }

  /** Releases the followed keys that no longer have open transactions. */
  async endFollowed(): Promise<void> {
    for (const signer of this.#followed) {
      if (signer === this.#held?.signer) this.#followed.delete(signer);
      if (!this.#followed.has(signer) || this.#pending.lowest(signer) !== null) continue;
      this.#followed.delete(signer);
      await this.#leases.release(this.#chain.offer.network.name, signer.address);
    }
  }

  /** The nonce for the next transaction. `allocated` advances it once the transaction is recorded. */
  nextNonce(held: HeldLease): number {
    while (this.#pending.uses(held.signer, held.next)) held.next += 1;
    return held.next;
  }

  allocated(held: HeldLease, nonce: number): void {
    held.next = Math.max(held.next, nonce + 1);
  }

  /** Drops the lease in memory after an error, so that the ledger is asked again before the next transaction. */
  forget(): void {
    this.#held = null;
  }

  async release(): Promise<void> {
    const held = this.#held;
    if (!held) return;
    this.#held = null;
    await this.#leases.release(this.#chain.offer.network.name, held.signer.address);
  }

  /** The nonce that the chain waits for, if later ones are pending and no transaction has it; otherwise null. */
  async findGap({ signer }: HeldLease): Promise<number | null> {
    const lowest = this.#pending.lowest(signer);
    if (lowest === null) return this.#noGap();
    if (
      this.#gap &&
      this.#gap.nonce < lowest &&
      this.#app.clock.monotonic() - this.#gap.since < this.#app.timings.evm.gapPatienceMs
    )
      return null;
    const awaited = await this.#chain.client.getTransactionCount({ address: signer.address });
    if (awaited >= lowest) return this.#noGap();
    if (this.#gap?.nonce === awaited) return awaited;
    this.#gap = { nonce: awaited, since: this.#app.clock.monotonic() };
    return null;
  }

  /**
   * Resends the recorded transactions with the nonce that the chain waits for. Either no process followed them, or a
   * reorganization removed the one that was mined and this has not been noticed yet.
   * @returns false when there are none
   */
  async sendAgain(held: HeldLease, nonce: number): Promise<boolean> {
    const { name: network } = this.#chain.offer.network;
    const recorded = await this.#outbox.withNonce(network, held.signer.address, BigInt(nonce));
    const [first] = recorded;
    if (!first) return false;
    this.#app.log.warn(
      { network, nonce, transaction: first.hash },
      'a settlement that the chain waits for is sent again',
    );
    this.#adoptOpen(held, recorded);
    return true;
  }

  #noGap(): null {
    this.#gap = null;
    return null;
  }

  /** Adopts open transactions of the last holder, or ones that an error left unfollowed. */
  #adoptOpen({ signer, next }: HeldLease, open: readonly OpenTransaction[]): void {
    const nonces = new Set(open.map(({ nonce }) => Number(nonce)));
    for (const nonce of nonces) {
      // This process is recording the transaction with the next nonce at this moment.
      if (nonce >= next) continue;
      const variants = open.filter((transaction) => Number(transaction.nonce) === nonce);
      this.#pending.adopt({
        signer,
        nonce,
        charges: variants.flatMap(({ charges }) => charges.map(toEvmCharge)),
        variants: variants.map(fromPrepared),
      });
    }
  }
}
