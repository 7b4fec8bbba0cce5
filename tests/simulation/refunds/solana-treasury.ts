import { PublicKey, VersionedTransaction } from '@solana/web3.js';
import type { TransactionRecord } from '@/local/solana/ledger';
import { decodeTransaction } from '@/local/solana/transaction';
import type { Block } from '../solana/blocks';
import { addLamports } from '../solana/funding';
import { signBy, transferOf, walletOf } from '../solana/transfers';
import { blockhashLifetime } from '../solana/view';
import type { SolanaWorld } from '../solana/world';
import type { Outgoing, TreasuryWallet } from './wallet';

const lamports = 1_000_000_000;

/** The treasury's wallet on Solana, which also pays the fees of its transfers. */
export class SolanaTreasury implements TreasuryWallet {
  readonly #solana: SolanaWorld;
  readonly #keys = walletOf('our payee');
  /** The blockhashes of what it has sent, by signature. */
  readonly #blockhashes = new Map<string, string>();

  constructor(solana: SolanaWorld) {
    this.#solana = solana;
    addLamports(solana.cluster, this.address, lamports);
  }

  get address(): string {
    return this.#keys.publicKey.toBase58();
  }

  /** Signs a transaction. @param transaction base64 @returns base64 */
  sign(transaction: string): string {
    const parsed = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
    signBy(parsed, [this.#keys]);
    return Buffer.from(parsed.serialize()).toString('base64');
  }

  /** Sends a transaction by itself. @param transaction base64 @returns its signature */
  send(transaction: string): string {
    const decoded = decodeTransaction(Buffer.from(transaction, 'base64'));
    this.#solana.cluster.submit(decoded, transaction);
    this.#blockhashes.set(decoded.signature, decoded.message.blockhash);
    return decoded.signature;
  }

  transfer(to: string, value: bigint): string {
    const { cluster } = this.#solana;
    const view = cluster.view();
    const transaction = transferOf({
      ...{ from: this.#keys, feePayer: this.#keys, to: new PublicKey(to), atomic: value },
      blockhash: view.blocks.hashOf(view.bank('confirmed')),
    });
    return this.send(Buffer.from(transaction.serialize()).toString('base64'));
  }

  mayHave(signature: string): boolean {
    const view = this.#solana.cluster.view();
    const named = view.blocks.withHash(this.#blockhashes.get(signature) ?? '');
    const age = named ? view.bank('finalized').height - named.height : Number.POSITIVE_INFINITY;
    return age <= blockhashLifetime || view.find(signature) !== null;
  }

  hasFailed(signature: string): boolean {
    const view = this.#solana.cluster.view();
    const found = view.find(signature);
    return found !== null && view.commitmentOf(found.block) === 'finalized' && found.record.error !== null;
  }

  outgoing(): Outgoing[] {
    const found: Outgoing[] = [];
    for (let block: Block | null = this.#solana.cluster.head; block; block = block.parent)
      for (const record of block.records) if (record.error === null) found.push(...this.#outgoingOf(record));
    return found;
  }

  #outgoingOf({ signature, slot, preTokenBalances, postTokenBalances }: TransactionRecord): Outgoing[] {
    const changes = postTokenBalances.map(({ accountIndex: index, owner, uiTokenAmount: { amount } }) => {
      const before = preTokenBalances.find(({ accountIndex }) => accountIndex === index);
      return { index, owner, value: BigInt(amount) - BigInt(before?.uiTokenAmount.amount ?? 0) };
    });
    if (!changes.some(({ owner, value }) => owner === this.address && value < 0n)) return [];
    return changes
      .filter(({ value }) => value > 0n)
      .map(({ index, owner: to, value }) => ({
        ...{ hash: signature, index, to, value },
        ...{ blockNumber: BigInt(slot), blockHash: null },
      }));
  }
}
