import { getBase58Decoder } from '@solana/kit';
import type { Keypair } from '@solana/web3.js';
import { HttpRequestError } from 'viem';
import type { SettlementJournal } from '@/lib/payments/journal';
import { configuredOffers, isSolanaOffer } from '@/lib/payments/networks';
import type { Payment, SolanaSigned } from '@/lib/payments/payment';
import { RpcNodes } from '@/lib/payments/rpc/nodes';
import { SolanaLookup } from '@/lib/payments/solana/lookup';
import { SolanaSettler } from '@/lib/payments/solana/settler';
import { recognizeSolanaPayment } from '@/lib/payments/solana/transaction';
import type { Clock } from '@/lib/platform/clock';
import { OngoingProblems } from '@/lib/platform/ongoing-problem';
import { solanaNetwork } from '@/local/networks';
import { testPlatform } from '../../support/platform';
import { randomNumbers } from '../../support/random';
import type { PaidCallRow } from '../stores/memory-rows';
import { VirtualTime } from '../virtual-clock';
import { associatedAddressOf, tokenFields } from './accounts';
import { type ClusterFaults, noClusterFaults, SimulatedCluster } from './chain';
import { addLamports, addTokens } from './funding';
import { type NodeFaults, noNodeFaults, SimulatedNode } from './node';
import { type TransferParts, transferOf, walletOf } from './transfers';

const payee = walletOf('our payee');
const feePayer = walletOf('our fee payer');
const feePayerLamports = 1_000_000_000;
const payeeAccount = associatedAddressOf(payee.publicKey.toBase58(), solanaNetwork.usdc);

export interface WorldOptions {
  readonly seed?: number;
  readonly cluster?: Partial<ClusterFaults>;
  readonly node?: Partial<NodeFaults>;
  /** How many RPCs we ask. */
  readonly nodes?: number;
}

/** A simulated cluster and its nodes, payers, and processes of ours that settle their payments. */
export class SolanaWorld {
  readonly time = new VirtualTime();
  /** The true time. */
  readonly clock = this.time.createClock();
  readonly cluster: SimulatedCluster;
  readonly nodes: readonly SimulatedNode[];

  constructor({ seed = 1, cluster, node, nodes = 1 }: WorldOptions = {}) {
    const { clock } = this;
    const random = randomNumbers(seed);
    this.cluster = new SimulatedCluster({ clock, random, faults: { ...noClusterFaults, ...cluster } });
    const faults = { ...noNodeFaults, ...node };
    this.nodes = Array.from(
      { length: nodes },
      (_, index) => new SimulatedNode(this.cluster, { url: `http://node-${index}`, clock, random, faults }),
    );
    addLamports(this.cluster, feePayer.publicKey.toBase58(), feePayerLamports);
    addTokens(this.cluster, payee.publicKey.toBase58(), 0n);
  }

  /** Lets a payer have USDC. */
  fund(payer: string, atomic: bigint): void {
    addTokens(this.cluster, walletOf(payer).publicKey.toBase58(), atomic);
  }

  /** What a process of ours settles with. */
  openSettler(clock: Clock, journal: Pick<SettlementJournal, 'outbox' | 'leases'>): SolanaSettler {
    const { app, offer, rpcs } = this.#connect(clock);
    return new SolanaSettler(app, offer, rpcs, secretKeyOf(feePayer), journal);
  }

  /** What a process of ours looks payments up with that a facilitator settles. */
  openLookup(clock: Clock): SolanaLookup {
    const { app, offer, rpcs } = this.#connect(clock);
    return new SolanaLookup(app, offer, rpcs);
  }

  #connect(clock: Clock) {
    const app = { ...configured, clock, problems: new OngoingProblems(configured.log, clock) };
    const offer = offerOn(this.nodes);
    const send = (url: string, body: string, signal: AbortSignal) => {
      const node = this.nodes.find((one) => one.url === url);
      if (!node) throw new HttpRequestError({ url, details: 'no such host' });
      return node.send(body, signal);
    };
    return { app, offer, rpcs: new RpcNodes(app, offer, send) };
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
    const wire = Buffer.from(transaction.serialize()).toString('base64');
    const signed = { family: 'solana', transaction: wire } as const;
    const payment = recognizeSolanaPayment(offerOn(this.nodes), signed, this.clock.date());
    if (!payment) throw new Error('this is no payment');
    return payment;
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
  SOLANA_RPC_URL: 'http://node-0',
  SETTLEMENT_KEY_SOLANA: secretKeyOf(feePayer),
  PAY_TO_SOLANA: payee.publicKey.toBase58(),
});
const [ourOffer] = configuredOffers(configured.settings).filter(isSolanaOffer);

function offerOn(nodes: readonly SimulatedNode[]) {
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
