import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { Connection, Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js';
import type { FacilitatorSvmSigner } from '@x402/svm';
import { GroupCommit } from '@/lib/payments/group-commit';
import type { Offer, SolanaNetwork } from '@/lib/payments/networks';

/** Where a submitted transaction stands. */
export type TransactionStatus =
  | { readonly kind: 'confirmed'; readonly slot: bigint }
  | { readonly kind: 'failed' }
  | { readonly kind: 'absent' };

/** The Solana cluster as the payment rails see it, with the account that pays the fees. */
export class SolanaChain {
  readonly offer: Offer<SolanaNetwork>;
  readonly connection: Connection;
  readonly #feePayer: Keypair;
  readonly #statuses: GroupCommit<string, TransactionStatus>;

  /** @param secretKey base58 of 64 bytes */
  constructor(offer: Offer<SolanaNetwork>, secretKey: string) {
    this.offer = offer;
    const [url] = offer.rpcUrls;
    if (!url) throw new Error('SOLANA_RPC_URL is empty');
    this.connection = new Connection(url, { commitment: 'confirmed', disableRetryOnRateLimit: true });
    this.#feePayer = Keypair.fromSecretKey(new Uint8Array(getBase58Encoder().encode(secretKey)));
    this.#statuses = new GroupCommit((signatures) => this.#statusGroup(signatures), {
      sizeMax: 256,
      inFlightMax: 2,
    });
  }

  get feePayer(): string {
    return this.#feePayer.publicKey.toBase58();
  }

  /** Adds the fee payer's signature. Ed25519 is deterministic: the same message always gives the same transaction. */
  coSign(transaction: VersionedTransaction): { signature: string; raw: Uint8Array } {
    transaction.sign([this.#feePayer]);
    const [signature] = transaction.signatures;
    if (!signature) throw new Error('a signed transaction has a signature');
    return { signature: getBase58Decoder().decode(signature), raw: transaction.serialize() };
  }

  /** Asks for a status together with every other that is asked at the moment. */
  status(signature: string): Promise<TransactionStatus> {
    return this.#statuses.add(signature);
  }

  async #statusGroup(signatures: readonly string[]): Promise<TransactionStatus[]> {
    const { value } = await this.connection.getSignatureStatuses([...signatures], {
      searchTransactionHistory: true,
    });
    return signatures.map((_, index) => {
      const status = value[index];
      if (!status || status.confirmationStatus === 'processed') return { kind: 'absent' };
      return status.err ? { kind: 'failed' } : { kind: 'confirmed', slot: BigInt(status.slot) };
    });
  }

  /** What the official scheme asks of a facilitator's account, answered with our own connection. */
  schemeSigner(): FacilitatorSvmSigner {
    const refuse = async (): Promise<never> => {
      throw new Error('the scheme only verifies here; the settler signs and sends');
    };
    return {
      // The scheme compares addresses as strings; kit's Address is a branded base58 string.
      getAddresses: () => [this.feePayer as ReturnType<FacilitatorSvmSigner['getAddresses']>[number]],
      signTransaction: refuse,
      sendTransaction: refuse,
      confirmTransaction: refuse,
      simulateTransaction: async (base64) => {
        const transaction = VersionedTransaction.deserialize(Buffer.from(base64, 'base64'));
        const { value } = await this.connection.simulateTransaction(transaction, {
          sigVerify: false,
          commitment: 'confirmed',
        });
        if (value.err) throw new Error(`Simulation failed: ${JSON.stringify(value.err)}`);
      },
    };
  }

  /** The USDC account of the payee, which must exist before Solana is offered: nobody creates it on the way. */
  async payeeHasTokenAccount(): Promise<boolean> {
    const { value } = await this.connection.getTokenAccountsByOwner(new PublicKey(this.offer.payTo), {
      mint: new PublicKey(this.offer.asset),
    });
    return value.length > 0;
  }
}
