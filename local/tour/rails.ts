// The two payment protocols as a client sees them: where the price is, which client pays, where the receipt is.
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { Challenge, Receipt } from 'mppx';
import { Mppx } from 'mppx/client';
import { charge } from 'mppx/evm/client';
import { privateKeyToAccount } from 'viem/accounts';
import type { LocalNetwork } from '../stack';
import type { Wallets } from '../wallets';

/** A client that pays for the requests it sends. */
type PayingClient = { payer: string; fetch: (url: string, init: RequestInit) => Promise<Response> };

export type TourRail = {
  name: string;
  /** Whether the rail supports payments on a network. */
  supports(network: LocalNetwork): boolean;
  /** The URL path of an operation, from its path below `/v1`. */
  pathOf(path: string, network: LocalNetwork): string;
  /** The official client, unmodified, with the wallet of one network. */
  openClient(network: LocalNetwork, wallets: Wallets['tour']): Promise<PayingClient>;
  /** The atomic amount that a 402 response asks for on a network; undefined if it does not accept payment there. */
  readPrice(unpaid: Response, network: LocalNetwork): Promise<string | undefined>;
  /** The transaction in the receipt of a paid response; undefined without a receipt of success. */
  readTransaction(paid: Response): string | undefined;
};

const isEvm = ({ caip2 }: LocalNetwork): boolean => caip2.startsWith('eip155:');

export const x402: TourRail = {
  name: 'x402',
  supports: () => true,
  pathOf: (path) => `/v1${path}`,
  async openClient(network, { evm, solana }) {
    const client = new x402Client();
    if (isEvm(network)) {
      client.register(network.caip2, new ExactEvmScheme(privateKeyToAccount(evm.privateKey)));
      return { payer: evm.address, fetch: wrapFetchWithPayment(fetch, client) };
    }
    const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(solana.secretKey));
    client.register(network.caip2, new ExactSvmScheme(signer, { rpcUrl: network.rpcUrl }));
    return { payer: solana.address, fetch: wrapFetchWithPayment(fetch, client) };
  },
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
  supports: isEvm,
  pathOf: (path, { name }) => `/v1/mpp${path}?network=${name}`,
  async openClient({ caip2, usdc }, { evm }) {
    const method = charge({
      account: privateKeyToAccount(evm.privateKey),
      authorization: { name: 'USD Coin', version: '2' },
      // LocalNetwork types addresses as strings, because Solana's look different. This network is an EVM one.
      currencies: [usdc as `0x${string}`],
      decimals: 6,
      maxAmount: '1',
      networks: [Number(caip2.split(':')[1])],
    });
    const client = Mppx.create({ polyfill: false, methods: [method] });
    return { payer: evm.address, fetch: (url, init) => client.fetch(url, init) };
  },
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
