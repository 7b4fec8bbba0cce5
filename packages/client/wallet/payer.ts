import type { PrivateKeyAccount } from 'viem/accounts';
import type { SignedPayment } from '../account/account-state';
import type { Adapter } from '../adapter/adapter';
import { type ApiResult, callApi } from '../api';
import type { Call } from '../calls/call';
import { type OpenedCall, readPayment, savePayment } from '../calls/open-calls';
import type { Payer } from '../calls/payer';
import { readTerms, signPayment } from './sign';

/** Clocks differ, so a payment counts as expired only this long after its end. */
const skewMs = 30_000;

type Refused = Extract<ApiResult, { kind: 'refused' }>;
/** The service asks for a payment: it has received none, or refuses the one that was sent. */
type PaymentRequired = Refused & { readonly terms: string };

interface Wallet {
  readonly adapter: Pick<Adapter, 'settings' | 'stateFile' | 'now'>;
  readonly account: PrivateKeyAccount;
  /** The network to pay on (CAIP-2); undefined for the first EVM network that the service offers. */
  readonly network: `eip155:${string}` | undefined;
}

/**
 * Pays over x402 from a wallet. A payment is on disk, and counted toward the spending cap, before it is sent. Every retry sends
 * the same payment, even after this process was killed. A new one is signed only when the service has refused the earlier one
 * and it has expired. So while the outcome of a call is open, only one payment for it can be charged.
 */
export function walletPayer(wallet: Wallet): Payer {
  const sent = new Map<string, SignedPayment>();
  return {
    id: wallet.account.address.toLowerCase(),
    rail: 'x402',
    send: (call, opened, timeoutMs) => send(wallet, sent, call, opened, timeoutMs),
  };
}

async function send(
  { adapter, account, network }: Wallet,
  /** The payments of this process by key, so that a retry does not depend on the state file. */
  sent: Map<string, SignedPayment>,
  call: Call,
  opened: OpenedCall,
  timeoutMs: number,
): Promise<ApiResult> {
  const { apiUrl } = adapter.settings;
  const { method, path, body } = call;
  const request = { method, path, body, idempotencyKey: opened.idempotencyKey };
  const pay = (payment: SignedPayment) => {
    sent.set(opened.idempotencyKey, payment);
    return callApi(apiUrl, { ...request, payment: payment.header }, timeoutMs);
  };
  const earlier = sent.get(opened.idempotencyKey) ?? (await readPayment(adapter.stateFile, opened));
  if (earlier) {
    const result = await pay(earlier);
    // An identical payment gets the response that it paid for, however old that is.
    if (!isPaymentRequired(result)) return result;
    if (Date.parse(earlier.validBefore) + skewMs > Date.now()) return refusedPayment(result, account);
  }
  const unpaid = await callApi(apiUrl, request, timeoutMs);
  // This request carried no payment.
  if (unpaid.kind === 'lost') return { ...unpaid, wasSent: false };
  if (!isPaymentRequired(unpaid)) return unpaid;
  const signed = await signPayment(account, readTerms(unpaid.terms), call.price, network);
  if ('code' in signed) return refused({ ...signed, payment: 'none', retry: 'stop' });
  const saved = await savePayment(adapter, call, opened, signed, earlier);
  if ('code' in saved) return refused({ ...saved, payment: 'none', retry: 'later' });
  const result = await pay(saved);
  return isPaymentRequired(result) ? refusedPayment(result, account) : result;
}

function isPaymentRequired(result: ApiResult): result is PaymentRequired {
  return result.kind === 'refused' && result.terms !== undefined;
}

/** The service's answer to a payment that it refuses. */
function refusedPayment(
  { error: { paidCallId }, terms }: PaymentRequired,
  { address }: PrivateKeyAccount,
): Refused {
  const reason = readTerms(terms)?.error ?? 'no reason was given';
  const cause = /insufficient/.test(reason)
    ? `The wallet ${address} holds too little USDC on this network (${reason}).`
    : `The service refused the payment of the wallet ${address}: ${reason}.`;
  const code = 'payment_refused';
  if (paidCallId === undefined) {
    const message = `${cause} Nothing was charged. The payment counts toward today's spending cap all the same, because the service has it.`;
    return refused({ code, message, payment: 'none', retry: 'later' });
  }
  // The payment went to the chain and is public until it expires.
  const message = `${cause} Nothing was charged so far. Until the payment expires, only the same call can use it.`;
  return refused({ code, message, payment: 'unknown', retry: 'later', paidCallId });
}

const refused = (error: Refused['error']): Refused => ({
  kind: 'refused',
  status: 402,
  error,
  retryAfterMs: undefined,
});
