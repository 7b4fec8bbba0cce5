import { ChannelCollector } from '@/lib/payments/channels/channel-collector';
import { ChannelDigests } from '@/lib/payments/channels/channel-digests';
import { correction } from '@/lib/payments/channels/channel-figures';
import { readChannelPayload, toChannelPayment } from '@/lib/payments/channels/channel-payload';
import { ChannelRefunds, type RefundOutcome } from '@/lib/payments/channels/channel-refunds';
import { ChannelSettler } from '@/lib/payments/channels/channel-settler';
import type { ChannelSigned } from '@/lib/payments/channels/channel-signed';
import type { ChannelTerms } from '@/lib/payments/channels/channel-terms';
import { ContractCalls } from '@/lib/payments/channels/contract-calls';
import { VerifiedChannels } from '@/lib/payments/channels/verified-channels';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import type { EvmSettler } from '@/lib/payments/evm/evm-settler';
import type { Payment } from '@/lib/payments/payment';
import type { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { Platform } from '@/lib/platform/platform';
import { memoryChannels } from '@/packages/paywall/memory/channel-memory';
import { memoryChannelRefunds } from '../stores/memory-channel-refunds';
import { memoryCollection } from '../stores/memory-collection';
import type { MemoryProcess } from '../stores/memory-process';
import { authorizer } from './terms';

/** How long a voucher may wait to be charged. It is shorter here, so that refusals are final within a history. */
const windowMs = 60_000;

/** What a process reads in a request: a payment, and why it does not pay. */
export interface ReadVoucher {
  readonly payment: Payment<ChannelSigned>;
  readonly refusal: string | null;
}

/** Payment channels as one process has them, put together as lib/app/open-channels.ts does. */
export class ProcessChannels {
  readonly settler: ChannelSettler;
  readonly #app: Platform;
  readonly #terms: ChannelTerms;
  readonly #price: bigint;
  readonly #digests: ChannelDigests;
  readonly #book: ReturnType<typeof memoryChannels>;
  readonly #refunds: ChannelRefunds;
  readonly #collector: ChannelCollector;

  /** @param on what settles on the network of the channels; `price` of a call in atomic USDC */
  constructor(
    app: Platform,
    terms: ChannelTerms,
    memory: MemoryProcess,
    on: { readonly nodes: RpcNodes; readonly settler: EvmSettler; readonly price: bigint },
  ) {
    const chain = new EvmChain(app, { ...terms.offer, blocksUrl: null }, on.nodes);
    const calls = new ContractCalls(app, terms, chain, authorizer.privateKey);
    const sending = { chain, submitter: on.settler.submitter, calls };
    this.#app = app;
    this.#terms = terms;
    this.#price = on.price;
    this.#digests = new ChannelDigests(terms.offer.network.chainId);
    this.#book = memoryChannels(memory);
    this.#refunds = new ChannelRefunds(app, terms, { ...sending, book: memoryChannelRefunds(memory) });
    this.#collector = new ChannelCollector(app, terms, { ...sending, book: memoryCollection(memory) });
    const verified = new VerifiedChannels();
    this.settler = new ChannelSettler(app, terms, {
      chain,
      book: this.#book,
      verified,
      deposits: on.settler,
    });
  }

  /** Reads a payload, as the x402 rail does. @returns the reason of a 402 for one that is not a payment */
  read(payload: unknown): ReadVoucher | string {
    const now = this.#app.clock.date();
    const read = readChannelPayload(this.#terms, this.#digests, payload, now);
    if (typeof read === 'string') return read;
    const payment = toChannelPayment(this.#terms, read, this.#price, now);
    const validBefore = Math.min(payment.validBefore.getTime(), now.getTime() + windowMs);
    return {
      payment: { ...payment, validBefore: new Date(validBefore) },
      refusal: this.#terms.isClosing ? 'channels_are_closing' : read.refusal,
    };
  }

  /** What a 402 says about the channel of a voucher that does not fit. */
  correct({
    channelId = '',
    authorization,
  }: Pick<Payment, 'channelId' | 'authorization'>): Promise<Record<string, unknown>> {
    return correction(this.#book, channelId, BigInt(authorization.split(':')[1] ?? 0));
  }

  /** Answers a payer who wants a refund. */
  async refund(payload: unknown): Promise<RefundOutcome> {
    const read = readChannelPayload(this.#terms, this.#digests, payload, this.#app.clock.date());
    if (typeof read === 'string') return { kind: 'refused', reason: read };
    const { channelId, config, maxClaimableAtomic: totalAtomic, refundAtomic: atomic } = read;
    return this.#refunds.ask({ channelId, totalAtomic, atomic }, config, async () => undefined);
  }

  /** One round of the job that sends refunds and claims. */
  async collect(): Promise<void> {
    await this.#refunds.work();
    await this.#collector.work();
  }
}
