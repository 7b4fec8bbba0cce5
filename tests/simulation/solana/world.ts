import { getBase58Decoder } from '@solana/kit';
import type { Keypair, VersionedTransaction } from '@solana/web3.js';
import { HttpRequestError } from 'viem';
import type { SettlementJournal } from '@/lib/payments/journal';
import {
  configuredOffers,
  isSolanaOffer,
  type Offer,
  type SolanaNetwork,
} from '@/lib/payments/network-offers';
import type { Payment, SolanaSigned } from '@/lib/payments/payment';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import { SolanaLookup } from '@/lib/payments/solana/solana-lookup';
import { recognizeSolanaPayment } from '@/lib/payments/solana/solana-payment';
import { SolanaRefundReader } from '@/lib/payments/solana/solana-refund-reader';
import { SolanaSettler } from '@/lib/payments/solana/solana-settler';
import type { Clock } from '@/lib/platform/clock';
import { OngoingProblems } from '@/lib/platform/ongoing-problem';
import type { ChainPlatform } from '@/lib/platform/platform';
import { solanaNetwork } from '@/local/networks';
import type { PaidCallRow } from '@/packages/paywall/memory/memory-rows';
import { testPlatform } from '../../support/platform';
import { randomNumbers } from '../../support/random';
import { behaviors, walletProgram } from '../../support/wallet-program/wallet';
import { type VirtualClock, VirtualTime } from '../virtual-clock';
import { associatedAddressOf, tokenFields } from './accounts';
import { type ClusterFaults, noClusterFaults, SimulatedCluster } from './chain';
import { addLamports, addTokens, changeBehavior } from './funding';
import { type NodeFaults, noNodeFaults, SimulatedNode } from './node';
import {
  settingsOf,
  type TransferParts,
  transferOf,
  type WalletTransferParts,
  walletOf,
  walletTransferOf,
} from './transfers';
import { vaultOf } from './wallet-program';

const payee = walletOf('our payee');
const feePayer = walletOf('our fee payer');
const feePayerLamports = 1_000_000_000;
const payeeAccount = associatedAddressOf(payee.publicKey.toBase58(), solanaNetwork.usdc);

type SolanaJournal = Pick<SettlementJournal, 'outbox' | 'leases' | 'gas'>;

export interface WorldOptions {
  readonly seed?: number;
  /** Time that is shared with others; one of its own if left out. */
  readonly time?: VirtualTime;
  /** Numbers from 0 to 1 that decide about faults; by the seed if left out. */
  readonly random?: () => number;
  readonly cluster?: Partial<ClusterFaults>;
  readonly node?: Partial<NodeFaults>;
  /** How many RPCs we ask, or what each of them does wrong. */
  readonly nodes?: number | readonly NodeFaults[];
}

/** A simulated cluster and its nodes, payers, and processes of ours that settle their payments. */
export class SolanaWorld {
  readonly time: VirtualTime;
  /** The true time. */
  readonly clock: VirtualClock;
  readonly cluster: SimulatedCluster;
  readonly nodes: readonly SimulatedNode[];

  constructor(options: WorldOptions = {}) {
    const {
      seed = 1,
      time = new VirtualTime(),
      random = randomNumbers(seed),
      cluster,
      node,
      nodes = 1,
    } = options;
    this.time = time;
    this.clock = time.createClock();
    const { clock } = this;
    this.cluster = new SimulatedCluster({ clock, random, faults: { ...noClusterFaults, ...cluster } });
    const shared = { ...noNodeFaults, ...node };
    const faultsOf = typeof nodes === 'number' ? Array.from({ length: nodes }, () => shared) : nodes;
    this.nodes = faultsOf.map(
      (faults, index) =>
        new SimulatedNode(this.cluster, { url: `http://solana-${index}`, clock, random, faults }),
    );
    addLamports(this.cluster, feePayer.publicKey.toBase58(), feePayerLamports);
    addTokens(this.cluster, payee.publicKey.toBase58(), 0n);
  }

  /** Lets a payer have USDC. */
  fund(payer: string, atomic: bigint): void {
    addTokens(this.cluster, walletOf(payer).publicKey.toBase58(), atomic);
  }

  /** How a process reaches the nodes. */
  readonly send: SendToRpc = (url, body, signal) => {
    const node = this.nodes.find((one) => one.url === url);
    return node
      ? node.send(body, signal)
      : Promise.reject(new HttpRequestError({ url, details: 'no such host' }));
  };

  get offer(): Offer<SolanaNetwork> {
    return offerOn(this.nodes);
  }

  /** What a process of ours settles with. */
  openSettler(clock: Clock, journal: SolanaJournal): SolanaSettler {
    return this.openSettlerOf(appAt(clock), journal, this.send);
  }

  /** What a process of ours looks payments up with that a facilitator settles. */
  openLookup(clock: Clock): SolanaLookup {
    const app = appAt(clock);
    return new SolanaLookup(app, this.offer, new RpcNodes(app, this.offer, this.send));
  }

  /** What a process of ours reads refunds with. */
  openRefundReader(clock: Clock): SolanaRefundReader {
    const app = appAt(clock);
    return new SolanaRefundReader(app, this.offer, new RpcNodes(app, this.offer, this.send));
  }

  /** A settler of a process with a platform and connections of its own. */
  openSettlerOf(app: ChainPlatform, journal: SolanaJournal, send: SendToRpc): SolanaSettler {
    const { offer } = this;
    return new SolanaSettler(app, offer, new RpcNodes(app, offer, send), secretKeyOf(feePayer), journal);
  }

  /** A payment as its payer signs it, with a blockhash of now. */
  pay(payer: string, atomic: bigint, changes: Partial<TransferParts> = {}): Payment<SolanaSigned> {
    const view = this.cluster.view();
    const transaction = transferOf({
      from: walletOf(payer),
      to: payee.publicKey,
      atomic,
      feePayer,
      blockhash: view.blocks.hashOf(view.bank('confirmed')),
      signers: [walletOf(payer)],
      ...changes,
    });
    return this.#recognize(transaction, atomic);
  }

  /** Lets the smart wallet of a member have USDC. */
  fundWallet(member: string, atomic: bigint): void {
    addTokens(this.cluster, vaultOf(walletOf(member).publicKey).vault.toBase58(), atomic);
  }

  /** A payment by the smart wallet of a member. @param changes what is signed instead, and what the request claims */
  payFromWallet(
    member: string,
    atomic: bigint,
    changes: Partial<WalletTransferParts> = {},
  ): Payment<SolanaSigned> {
    const view = this.cluster.view();
    const transaction = walletTransferOf({
      from: walletOf(member),
      to: payee.publicKey,
      atomic,
      feePayer,
      blockhash: view.blocks.hashOf(view.bank('confirmed')),
      signers: [walletOf(member)],
      ...changes,
    });
    return this.#recognize(transaction, atomic);
  }

  /** From now on, a member's smart wallet does something else. */
  changeWallet(member: string, behavior: keyof typeof behaviors): void {
    const settings = settingsOf(walletOf(member).publicKey).toBase58();
    changeBehavior(this.cluster, settings, behaviors[behavior]);
  }

  #recognize(transaction: VersionedTransaction, atomic: bigint): Payment<SolanaSigned> {
    const wire = Buffer.from(transaction.serialize()).toString('base64');
    const payment = recognizeSolanaPayment(offerOn(this.nodes), wire, atomic, this.clock.date());
    if (!payment) throw new Error('this is no payment');
    return payment;
  }

  /** From now on, everything works. @param count is told how often each fault of a node has happened */
  endFaults(count: (fault: string, times: number) => void): void {
    this.cluster.faults = noClusterFaults;
    for (const node of this.nodes) {
      Object.assign(node, { faults: noNodeFaults, isDown: false, slotsBehind: null });
      for (const [fault, times] of node.happened) count(fault, times);
    }
  }

  /** The address that pays the fees of our transactions. */
  get feePayer(): string {
    return feePayer.publicKey.toBase58();
  }

  /** What the fee payer has spent, in lamports. */
  get feesPaid(): bigint {
    const account = this.cluster.view().bank('processed').state.find(this.feePayer);
    return BigInt(feePayerLamports - (account?.lamports ?? 0));
  }

  /** The height of the confirmed head. */
  get height(): bigint {
    return BigInt(this.cluster.view().bank('confirmed').height);
  }

  /** What the payee holds, in atomic USDC. */
  paid(commitment: 'processed' | 'finalized' = 'processed'): bigint {
    const account = this.cluster.view().bank(commitment).state.find(payeeAccount);
    return account ? tokenFields(account).amount : 0n;
  }
}

/** Parsed once, because keys take milliseconds to check. */
const configured = testPlatform({
  SOLANA_RPC_URL: 'http://solana-0',
  SETTLEMENT_KEY_SOLANA: secretKeyOf(feePayer),
  PAY_TO_SOLANA: payee.publicKey.toBase58(),
  SOLANA_WALLET_PROGRAMS: walletProgram,
});
const [ourOffer] = configuredOffers(configured.settings).filter(isSolanaOffer);

function appAt(clock: Clock): ChainPlatform {
  return { ...configured, clock, problems: new OngoingProblems(configured.log, clock) };
}

function offerOn(nodes: readonly SimulatedNode[]): Offer<SolanaNetwork> {
  if (!ourOffer) throw new Error('Solana is not configured');
  return { ...ourOffer, rpcUrls: nodes.map(({ url }) => url) };
}

function secretKeyOf({ secretKey }: Keypair): string {
  return getBase58Decoder().decode(secretKey);
}

/** The row of a call whose payment is about to be sent. */
export function settlingCall(id: string, payment: Payment, sinceHeight: bigint): PaidCallRow {
  const { network, asset, payer, authorization, amountAtomic, payTo, validBefore, signed } = payment;
  const now = new Date(0);
  return {
    ...{ id, operation: 'uploads.create', rail: 'x402' as const, state: 'settling' as const },
    ...{ network, asset, payer, authorization, amountAtomic, payTo, validBefore },
    ...{ payment: { signed, sinceHeight }, requestHash: Buffer.from(id), requestDigest: null },
    ...{ idempotencyKeyHash: null, claimTokenHash: null, input: null, prepared: null },
    ...{ transactionHash: null, settlementId: null, refusalReason: null, answerStatus: null, answer: null },
    ...{ answerExpiresAt: null, workedBy: null, attemptAt: now, queuedForSignerAt: null, channelId: null },
    ...{ reorganizations: 0, creditedAccount: null, refusalFinalAt: null, attempts: 0 },
    ...{ createdAt: now, movedAt: now, moveNote: null },
  };
}
