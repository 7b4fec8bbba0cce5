import type { Hex } from 'viem';
import { checkFinality } from '@/lib/jobs/finality-checks';
import { recognizeEvmPayment } from '@/lib/payments/evm/authorization';
import { EvmSettler } from '@/lib/payments/evm/evm-settler';
import type { SettlementJournal } from '@/lib/payments/journal';
import { configuredOffers, type EvmNetwork, isEvmOffer, type Offer } from '@/lib/payments/network-offers';
import type { Charge } from '@/lib/payments/outcome';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import { productionTimings } from '@/lib/platform/timings';
import { MemoryDatabase } from '@/packages/paywall/memory/memory-database';
import { memoryDueWork } from '@/packages/paywall/memory/memory-due-work';
import { memoryFinality } from '@/packages/paywall/memory/memory-finality';
import { memoryJournal } from '@/packages/paywall/memory/memory-journal';
import type { PaidCallRow } from '@/packages/paywall/memory/memory-rows';
import { testPlatform } from '../../support/platform';
import { randomNumbers } from '../../support/random';
import { newCall } from '../stores/journal-rows';
import { MemoryProcess } from '../stores/memory-process';
import { type VirtualClock, VirtualTime } from '../virtual-clock';
import { Account, usdcCalls } from './accounts';
import { SimulatedChain } from './chain';
import { type NodeConditions, SimulatedNode, sendToNodes } from './node';
import { hashOf, hexOf } from './words';

const priceAtomic = 5_000n;
const beatMs = 1_000;
const payee = new Account('the payee');
const key = new Account('the settlement key');

export interface EngineOptions {
  readonly seed?: number;
  readonly nodes?: number;
  readonly conditions?: Partial<NodeConditions>;
}

/** The settlement engine on a simulated chain, with its journal in memory, under a clock of its own. */
export class EngineWorld {
  readonly time: VirtualTime;
  readonly chain: SimulatedChain;
  readonly nodes: readonly SimulatedNode[];
  readonly database: MemoryDatabase;
  readonly random: () => number;
  readonly offer: Offer<EvmNetwork>;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #send: SendToRpc;
  /** Every request to a node, with its time. */
  readonly asked: string[] = [];
  /** Runs before each request to a node. */
  beforeRequest: (body: string) => void = () => undefined;
  readonly #payers: readonly Account[];
  #calls = 0;

  constructor({ seed = 1, nodes = 1, conditions = {} }: EngineOptions = {}) {
    this.random = randomNumbers(seed);
    this.time = new VirtualTime({ random: this.random });
    const urls = Array.from({ length: nodes }, (_, index) => `http://node-${index + 1}`);
    this.#settings = { PAY_TO_EVM: payee.address, BASE_RPC_URL: urls.join() };
    const clock = this.time.createClock();
    const [offer] = configuredOffers(testPlatform(this.#settings, clock).settings).filter(isEvmOffer);
    if (!offer) throw new Error('Base is not configured');
    this.offer = offer;
    this.chain = new SimulatedChain({ network: offer.network, clock });
    this.#payers = Array.from({ length: 3 }, (_, index) => new Account(`payer ${index}`));
    this.chain.giveGas(key.address, 10n ** 18n);
    for (const { address } of this.#payers) this.chain.giveUsdc(address, 1_000n * priceAtomic);
    this.nodes = urls.map(() => new SimulatedNode(this.chain, clock, this.random, conditions));
    const send = sendToNodes(new Map(urls.map((url, index) => [url, this.nodes[index] as SimulatedNode])));
    this.#send = (url, body, signal) => {
      this.asked.push(`${this.time.nowMs} ${url} ${body}`);
      this.beforeRequest(body);
      return send(url, body, signal);
    };
    this.database = new MemoryDatabase(clock);
    this.chain.start();
  }

  /** Starts a process of the service, as far as the engine needs one. */
  async start(id = 'one'): Promise<EngineProcess> {
    const clock = this.time.createClock();
    const app = { ...testPlatform(this.#settings, clock), timings: productionTimings };
    const link = linkOf(this.#send);
    const nodes = new RpcNodes(app, this.offer, link.send);
    const options = { id, settles: [this.offer.network.name], timings: productionTimings };
    const memory = new MemoryProcess(this.database, clock, options);
    const journal = memoryJournal(memory);
    const settler = new EvmSettler(app, this.offer, nodes, [key.privateKey], journal);
    const started = new EngineProcess(this, memory, app, settler, journal, link.cut);
    await this.time.finish(started.beat(), 60_000);
    return started;
  }

  /** Stores a call whose payment is about to be charged. @returns its charge */
  newCharge(validForSeconds = 300): Charge {
    this.#calls += 1;
    const number = this.#calls;
    const payer = this.#payers[number % this.#payers.length];
    if (!payer) throw new Error('nobody pays');
    const authorization = {
      ...{ from: payer.address, to: payee.address, value: priceAtomic, validAfter: 0n },
      validBefore: BigInt(Math.floor(this.time.nowMs / 1_000) + validForSeconds),
      nonce: hashOf(hexOf(0x1000 + number)),
    };
    const { value, validAfter, validBefore } = authorization;
    const texts = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` };
    const signature = payer.authorize(this.offer.network, authorization);
    const signed = {
      family: 'evm',
      signer: 'key',
      signature,
      authorization: { ...authorization, ...texts },
    } as const;
    const payment = recognizeEvmPayment(this.offer, signed);
    if (!payment) throw new Error('the signature is not that of the payer');
    const { network, asset, payTo, amountAtomic } = payment;
    const paidCallId = `call ${number}`;
    const row = newCall(paidCallId, {
      ...{ network, asset, payTo, amountAtomic, payer: payment.payer, authorization: payment.authorization },
      ...{ validBefore: payment.validBefore, workedBy: null, attempts: 0 },
      payment: { signed: payment.signed, sinceHeight: BigInt(this.chain.head.number) },
      ...{ createdAt: new Date(this.time.nowMs), movedAt: new Date(this.time.nowMs) },
    });
    this.database.execute(({ paidCall }) => paidCall.insert(row));
    return { paidCallId, payment };
  }

  callOf({ paidCallId }: Charge): PaidCallRow {
    const row = this.database.tables.paidCall.get(paidCallId);
    if (!row) throw new Error(`no call ${paidCallId}`);
    return row;
  }

  /**
   * Somebody else carries out the payment of a charge, its payer cancels it, or the payer spends all money elsewhere.
   * @returns the hash of the transaction
   */
  interfere({ payment }: Charge, how: 'submits' | 'cancels' | 'spends', who = 'a stranger'): Hex {
    const { signed } = payment;
    if (signed.family !== 'evm') throw new Error('not an EVM payment');
    const { from, nonce, ...words } = signed.authorization;
    const [value, validAfter, validBefore] = [words.value, words.validAfter, words.validBefore].map(
      BigInt,
    ) as [bigint, bigint, bigint];
    const payer = this.#payers.find(({ address }) => address === payment.payer);
    if (!payer) throw new Error('somebody else paid');
    const stranger = new Account(who).address;
    const to = this.chain.machine.usdc.address;
    const authorization = { from, to: words.to, value, validAfter, validBefore, nonce };
    if (how === 'submits') {
      return this.chain.act(stranger, { to, data: usdcCalls.transferParts(authorization, signed.signature) });
    }
    if (how === 'cancels') {
      const signature = payer.cancel(this.offer.network, nonce);
      return this.chain.act(stranger, { to, data: usdcCalls.cancelParts(from, nonce, signature) });
    }
    return this.chain.act(from, { to, data: usdcCalls.transfer(stranger, this.chain.usdcOf(from)) });
  }

  /** What the payee has received. */
  get receivedAtomic(): bigint {
    return this.chain.usdcOf(payee.address);
  }

  get priceAtomic(): bigint {
    return priceAtomic;
  }

  /** The hash of the transaction that carries a charge, as the journal has it. */
  transactionOf(charge: Charge): Hex {
    const { settlementId } = this.callOf(charge);
    const row =
      settlementId === null ? undefined : this.database.tables.settlementTransaction.get(settlementId);
    if (!row) throw new Error('no transaction carries the charge');
    return row.hash as Hex;
  }
}

/** The connections of one process. Once they are cut, nothing is sent any more, and no answer arrives. */
function linkOf(send: SendToRpc): { readonly send: SendToRpc; readonly cut: () => void } {
  let isCut = false;
  const unlessCut = (run: () => void) => {
    if (!isCut) run();
  };
  return {
    send: (url, body, signal) =>
      new Promise((resolve, reject) => {
        unlessCut(() =>
          send(url, body, signal).then(
            (answer) => unlessCut(() => resolve(answer)),
            (error: unknown) => unlessCut(() => reject(error)),
          ),
        );
      }),
    cut: () => {
      isCut = true;
    },
  };
}

/** One process with the engine. */
export class EngineProcess {
  readonly settler: EvmSettler;
  readonly clock: VirtualClock;
  readonly #world: EngineWorld;
  readonly #memory: MemoryProcess;
  readonly #app: ReturnType<typeof testPlatform>;
  readonly #journal: SettlementJournal;
  readonly #cut: () => void;

  constructor(
    world: EngineWorld,
    memory: MemoryProcess,
    app: ReturnType<typeof testPlatform>,
    settler: EvmSettler,
    journal: SettlementJournal,
    cut: () => void,
  ) {
    this.#cut = cut;
    this.#world = world;
    this.#memory = memory;
    this.clock = memory.clock;
    this.#app = app;
    this.settler = settler;
    this.#journal = journal;
  }

  /** One heartbeat: the lease, transactions left behind, and whether settlements are still in the chain. */
  async beat(): Promise<void> {
    const { network } = this.#world.offer;
    const work = await memoryDueWork(this.#memory, [network.name], new Map());
    await this.settler.maintain(work.on(network.name)).catch(() => undefined);
    const { problems, log } = this.#app;
    const check = {
      problems,
      log,
      record: memoryFinality(this.#memory),
      offers: [{ network, settler: this.settler }],
    };
    await checkFinality(check, this.clock.date());
  }

  /** Beats from now on. */
  async run(): Promise<never> {
    for (;;) {
      await this.beat();
      await this.clock.sleep(beatMs);
    }
  }

  /** Charges, and then recovers until the outcome is certain. */
  async settle(charge: Charge): Promise<void> {
    const outcome = await this.settler.settle(charge);
    if (outcome.kind === 'settled') await outcome.recorded?.catch(() => undefined);
    await this.recover(charge);
  }

  /** Finds out what became of a payment, as recovery does, and charges it again if nothing did. */
  async recover(charge: Charge): Promise<void> {
    while (!this.#isCertain(charge)) {
      await this.clock.sleep(2_000);
      if (await this.settler.isFollowed(charge)) continue;
      const sinceHeight = this.#world.callOf(charge).payment?.sinceHeight ?? 0n;
      const trace = { sinceHeight, transactionHash: null };
      const outcome = await this.settler.resolveOutcome(charge.payment, trace);
      if (outcome.kind !== 'unknown') await this.#journal.outbox.recordOutcome(charge, outcome);
      else if (outcome.isUnused) await this.settler.settle(charge);
    }
  }

  /** Asks the chain about a refused payment once it has expired, because until then anybody could have submitted it. */
  async closeRefusal(charge: Charge): Promise<void> {
    while (this.#world.callOf(charge).state === 'refused') {
      const sinceHeight = this.#world.callOf(charge).payment?.sinceHeight ?? 0n;
      const outcome = await this.settler.resolveOutcome(charge.payment, {
        sinceHeight,
        transactionHash: null,
      });
      const isExpired = charge.payment.validBefore < this.clock.date();
      if (outcome.kind === 'refused' && isExpired) return;
      if (outcome.kind === 'settled') await this.#journal.outbox.recordOutcome(charge, outcome);
      await this.clock.sleep(5_000);
    }
  }

  #isCertain(charge: Charge): boolean {
    return ['settled', 'refused'].includes(this.#world.callOf(charge).state);
  }

  kill(): void {
    this.#cut();
    this.#memory.kill();
  }
}
