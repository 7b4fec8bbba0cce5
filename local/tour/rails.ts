// How the two payment protocols look to a buyer: where the price is, who pays, where the receipt is.
import { decodePaymentResponseHeader } from '@x402/fetch';
import { Challenge, Receipt } from 'mppx';
import { isEvm, openMppClient, openX402Client, type PayingClient } from '../paying-client';
import type { LocalNetwork } from '../stack';
import type { Wallets } from '../wallets';

export type TourRail = {
  name: string;
  /** Whether a network can be paid on this way. */
  takes(network: LocalNetwork): boolean;
  /** Where an operation is sold, by its path below `/v1`. */
  pathOf(path: string, network: LocalNetwork): string;
  openClient(network: LocalNetwork, wallets: Wallets['tourist']): Promise<PayingClient>;
  /** The atomic amount that a 402 asks for on a network; undefined when it offers no payment there. */
  readPrice(unpaid: Response, network: LocalNetwork): Promise<string | undefined>;
  /** The transaction in the receipt of a paid answer; undefined when there is no receipt of success. */
  readTransaction(paid: Response): string | undefined;
};

export const x402: TourRail = {
  name: 'x402',
  takes: () => true,
  pathOf: (path) => `/v1${path}`,
  openClient: openX402Client,
  async readPrice(unpaid, { caip2 }) {
    const { accepts } = (await unpaid.json()) as { accepts: { network: string; amount: string }[] };
    return accepts.find((offer) => offer.network === caip2)?.amount;
  },
  readTransaction(paid) {
    const header = paid.headers.get('payment-response');
    const receipt = header ? decodePaymentResponseHeader(header) : undefined;
    return receipt?.success ? receipt.transaction : undefined;
  },
};

export const mpp: TourRail = {
  name: 'MPP',
  takes: isEvm,
  pathOf: (path, { name }) => `/v1/mpp${path}?network=${name}`,
  openClient: openMppClient,
  async readPrice(unpaid) {
    const [challenge] = Challenge.fromResponseList(unpaid);
    const amount = challenge?.request.amount;
    return typeof amount === 'string' ? amount : undefined;
  },
  readTransaction(paid) {
    const receipt = paid.headers.has('payment-receipt') ? Receipt.fromResponse(paid) : undefined;
    return receipt?.status === 'success' ? receipt.reference : undefined;
  },
};
