import type { TransactionSigner } from '@solana/kit';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm';
import type { PrivateKeyAccount } from 'viem/accounts';
import { network, type TestNetwork } from './stack';

export type Wallet = PrivateKeyAccount | TransactionSigner;

/** The official client, unmodified, with the network to pay on and a limit high enough for deposits. */
export function officialClient(wallet: Wallet, on: TestNetwork['name']): x402Client {
  const { caip2 } = network(on);
  const client = new x402Client((_, accepts) => {
    const wanted = accepts.find((candidate) => candidate.network === caip2);
    if (!wanted) throw new Error(`${on} is not offered`);
    return wanted;
  });
  // By default it refuses payments above one dollar.
  client.setSpendControls({ maxAmountPerPayment: '$500' });
  if (
    'signTransactions' in wallet ||
    'modifyAndSignTransactions' in wallet ||
    'signAndSendTransactions' in wallet
  ) {
    return client.register(
      'solana:*',
      new ExactSvmScheme(wallet, { rpcUrl: network('solana-mainnet').rpcUrl }),
    );
  }
  return client.register('eip155:*', new ExactEvmScheme(wallet as PrivateKeyAccount));
}

/** The official paying `fetch`. */
export function payingFetch(wallet: Wallet, on: TestNetwork['name']): typeof fetch {
  return wrapFetchWithPayment(fetch, officialClient(wallet, on)) as typeof fetch;
}

/** Gets the challenge of a route. */
export async function challengeOf(url: string, method = 'POST'): Promise<PaymentRequired> {
  const answer = await fetch(url, { method });
  return decodePaymentRequiredHeader(answer.headers.get('payment-required') ?? '');
}

/** The signed envelope that the official client would send. */
export async function envelopeFor(
  url: string,
  wallet: Wallet,
  on: TestNetwork['name'],
  method = 'POST',
): Promise<PaymentPayload> {
  return officialClient(wallet, on).createPaymentPayload(await challengeOf(url, method));
}

/** The payment header with an envelope. */
export function paymentHeader(envelope: PaymentPayload): { 'PAYMENT-SIGNATURE': string } {
  return { 'PAYMENT-SIGNATURE': encodePaymentSignatureHeader(envelope) };
}
