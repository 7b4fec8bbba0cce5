import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import {
  type Connection,
  type ParsedInnerInstruction,
  PublicKey,
  type SimulateTransactionConfig,
  VersionedTransaction,
} from '@solana/web3.js';
import type { FacilitatorSvmSigner, SvmInnerInstructionsResult } from '@x402/svm';
import type { Offer, SolanaNetwork } from '@/lib/payments/network-offers';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { NetworkProblem } from '@/lib/payments/settlers';
import type { ChainPlatform } from '@/lib/platform/platform';
import { connectToAny } from './solana-connections';
import { SolanaStatuses } from './solana-statuses';
import { associatedTokenAccount } from './solana-transaction';

/** Reads the Solana cluster, and co-signs with the account that pays the fees. */
export class SolanaChain {
  readonly offer: Offer<SolanaNetwork>;
  /** The first RPC that works, for data that does not by itself decide whether a payment was made. */
  readonly connection: Connection;
  /** For data that payments depend on: every RPC. */
  readonly statuses: SolanaStatuses;
  readonly #feePayer: SolanaSigner;

  /** @param secretKey base58 of 64 bytes */
  constructor(app: ChainPlatform, offer: Offer<SolanaNetwork>, nodes: RpcNodes, secretKey: string) {
    this.offer = offer;
    this.connection = connectToAny(app, nodes);
    this.statuses = new SolanaStatuses(app, nodes);
    this.#feePayer = new SolanaSigner(secretKey);
  }

  get feePayer(): string {
    return this.#feePayer.publicKey.toBase58();
  }

  /** Adds the fee payer's signature, which is always the same for the same message. */
  coSign(transaction: VersionedTransaction): { signature: string; raw: Uint8Array } {
    const signature = this.#feePayer.sign(transaction.message.serialize());
    transaction.addSignature(this.#feePayer.publicKey, signature);
    return { signature: getBase58Decoder().decode(signature), raw: transaction.serialize() };
  }

  /**
   * The signer interface of the official scheme, implemented with our own connection.
   * @param on what the scheme does not distinguish: `away` is called when a simulation fails because the node did not respond,
   * `frozen` when an account is frozen, and `simulated` with the slot of a node that has simulated
   * @param isOfWallet whether a smart wallet pays, which needs more of the interface
   */
  schemeSigner(
    on: {
      away: (cause: unknown) => void;
      frozen: () => void;
      simulated: (slot: bigint, inner: readonly ParsedInnerInstruction[]) => void;
    },
    isOfWallet: boolean,
  ): FacilitatorSvmSigner {
    const simulate = async (base64: string, config: Pick<SimulateTransactionConfig, 'innerInstructions'>) => {
      const transaction = VersionedTransaction.deserialize(Buffer.from(base64, 'base64'));
      const { context, value } = await this.connection
        .simulateTransaction(transaction, {
          sigVerify: false,
          commitment: 'confirmed',
          ...config,
        })
        .catch((cause: unknown) => {
          on.away(cause);
          throw cause;
        });
      const inner = value.innerInstructions ?? [];
      on.simulated(BigInt(context.slot), inner);
      if (isFrozen(value.err)) on.frozen();
      if (value.err) throw new Error(`Simulation failed: ${JSON.stringify(value.err)}`);
      return inner;
    };
    const refuse = async (): Promise<never> => {
      throw new Error('the scheme only verifies here; the settler signs and sends');
    };
    return {
      // The scheme compares addresses as strings. kit's Address is a branded base58 string.
      getAddresses: () => [this.feePayer as ReturnType<FacilitatorSvmSigner['getAddresses']>[number]],
      signTransaction: refuse,
      sendTransaction: refuse,
      confirmTransaction: refuse,
      simulateTransaction: async (base64) => {
        await simulate(base64, {});
      },
      ...(isOfWallet && {
        // The scheme reads parsed instructions too, which is what nodes return; its type has only compiled ones.
        simulateTransactionWithInnerInstructions: async (base64) =>
          ({
            innerInstructions: await simulate(base64, { innerInstructions: true }),
          }) as unknown as SvmInnerInstructionsResult,
        // Required as well, and called only when the scheme settles, or for lookup tables.
        getConfirmedTransactionInnerInstructions: refuse,
        getTokenAccountBalance: refuse,
        fetchAddressLookupTables: refuse,
      }),
    };
  }
}

/** SPL Token's error number for a transfer from or to a frozen account. */
const accountFrozen = 17;

function isFrozen(error: unknown): boolean {
  return JSON.stringify(error)?.includes(`{"Custom":${accountFrozen}}`) === true;
}

const otherCluster = ({ network, rpcUrls }: Offer, number: number): NetworkProblem => ({
  message: `RPC ${number} of ${rpcUrls.length} serves another cluster`,
  advice: `Set SOLANA_RPC_URL to RPCs of ${network.name}.`,
});

const noTokenAccount: NetworkProblem = {
  message: 'the payee has no USDC account; create it first',
  advice: 'Create the USDC token account of PAY_TO_SOLANA, for example by sending it some USDC.',
  isOfToken: true,
};

const frozenTokenAccount: NetworkProblem = {
  message: 'the USDC account of the payee is frozen',
  advice: 'Set PAY_TO_SOLANA to another address of yours, and ask Circle about this one.',
  isOfToken: true,
};

/** The state of a token account, in SPL Token's layout: after mint, owner, amount and delegate. */
const stateAt = 108;
const frozen = 2;

/**
 * What stops every payment on Solana: the account that payments go to, which they do not create, is missing or frozen.
 * @throws when the RPC does not answer
 */
export async function payeeProblems(connection: Connection, offer: Offer): Promise<NetworkProblem[]> {
  const [owner, mint] = [new PublicKey(offer.payTo), new PublicKey(offer.asset)];
  const { value: accounts } = await connection.getTokenAccountsByOwner(owner, { mint });
  const payee = accounts.find(({ pubkey, account }) =>
    pubkey.equals(associatedTokenAccount(owner, mint, account.owner)),
  );
  if (!payee) return [noTokenAccount];
  return payee.account.data[stateAt] === frozen ? [frozenTokenAccount] : [];
}

/** Checks before Solana is offered that its RPCs serve the right cluster, and that the payee can be paid. */
export async function checkCluster(
  connection: Connection,
  statuses: SolanaStatuses,
  offer: Offer,
): Promise<NetworkProblem[]> {
  const [hashes, ofPayee] = await Promise.all([statuses.genesisHashes(), payeeProblems(connection, offer)]);
  // CAIP-2 for Solana: the first 32 characters of the genesis hash.
  const [, reference = ''] = offer.network.caip2.split(':');
  return [
    ...hashes.flatMap((hash, index) =>
      hash === null || hash.slice(0, 32) === reference ? [] : [otherCluster(offer, index + 1)],
    ),
    ...ofPayee,
  ];
}

/** The bytes that precede the 32 secret bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The key that pays the fees. Derives and signs in native code: JavaScript curves first prepare tables, which would take a
 * tenth of a server's start.
 */
export class SolanaSigner {
  readonly publicKey: PublicKey;
  readonly #key: KeyObject;

  /** @param secretKey base58 of 64 bytes: the secret half and the public half */
  constructor(secretKey: string) {
    const bytes = Buffer.from(getBase58Encoder().encode(secretKey));
    if (bytes.length !== 64) throw new Error('SETTLEMENT_KEY_SOLANA must be base58 of 64 bytes');
    const [secretHalf, publicHalf] = [bytes.subarray(0, 32), bytes.subarray(32)];
    this.#key = createPrivateKey({
      key: Buffer.concat([pkcs8Prefix, secretHalf]),
      format: 'der',
      type: 'pkcs8',
    });
    const derived = createPublicKey(this.#key).export({ format: 'der', type: 'spki' }).subarray(-32);
    if (!derived.equals(publicHalf)) {
      throw new Error('SETTLEMENT_KEY_SOLANA is not a key: its two halves do not belong together');
    }
    this.publicKey = new PublicKey(derived);
  }

  /** Ed25519 is deterministic: the same message always gives the same signature. */
  sign(message: Uint8Array): Uint8Array {
    return new Uint8Array(sign(null, message, this.#key));
  }
}
