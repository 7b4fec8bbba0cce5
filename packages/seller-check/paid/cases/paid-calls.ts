import { decodePaymentResponseHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { Receipt } from 'mppx';
import { Mppx } from 'mppx/client';
import { charge } from 'mppx/evm/client';
import { z } from 'zod';
import { isDelivery, type Reply } from '../client';
import { fail, notApplicable, pass } from '../findings';
import type { PaidCase } from '../paid-case';
import { rules } from '../rules';
import type { PaidSeller } from '../seller';

const settlement = z.looseObject({
  success: z.literal(true),
  transaction: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  network: z.string(),
  payer: z.string().optional(),
});

const receipt = z.looseObject({
  status: z.literal('success'),
  method: z.literal('evm'),
  reference: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  timestamp: z.iso.datetime({ offset: true }),
  challengeId: z.string().min(1),
  chainId: z.number(),
});

/** Reads a JSON value that a seller encoded; undefined if it cannot be read. */
function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** What `PAYMENT-RESPONSE` says; undefined if it is missing or no settlement that succeeded. */
function settlementOf({ headers }: Reply) {
  const header = headers.get('payment-response');
  if (header === null) return undefined;
  return settlement.safeParse(attempt((): unknown => decodePaymentResponseHeader(header))).data;
}

/** What `Payment-Receipt` says; undefined if it is missing or no receipt of this method. */
function receiptOf({ headers }: Reply) {
  const header = headers.get('payment-receipt');
  if (header === null) return undefined;
  // The library would drop the fields that it does not know.
  return receipt.safeParse(
    attempt((): unknown => JSON.parse(Buffer.from(header, 'base64url').toString('utf8'))),
  ).data;
}

/** A `fetch` for an official client, which the ledger sees. */
function fetchThrough(seller: PaidSeller): { readonly fetch: typeof fetch; readonly replies: Reply[] } {
  const replies: Reply[] = [];
  return {
    replies,
    async fetch(input, init) {
      const request = new Request(input, init);
      const headers = Object.fromEntries(request.headers);
      const body = request.body === null ? undefined : await request.text();
      const { pathname, search } = new URL(request.url);
      const reply = await seller.send({ path: pathname + search, headers, body });
      replies.push(reply);
      if (reply.failure !== null) throw new TypeError(reply.failure);
      return new Response(reply.text || null, { status: reply.status, headers: reply.headers });
    },
  };
}

const initOf = ({ target }: PaidSeller): RequestInit => ({
  method: target.method,
  ...(target.body === undefined
    ? {}
    : { body: target.body, headers: { 'Content-Type': 'application/json' } }),
});

/** Delivered, and one transfer of the price. */
async function boughtOnce(seller: PaidSeller, reply: Reply | undefined) {
  if (!reply || !isDelivery(reply)) return fail(...(reply ? [reply] : ['The client sent no request.']));
  const transfers = await seller.ledger.transfers();
  return transfers === 1 ? pass : fail(`The payee received ${transfers} transfers.`, reply);
}

export const paidCallCases: readonly PaidCase[] = [
  {
    id: 'paid.x402-official-client',
    title: 'serves the official x402 client, unmodified, for one transfer',
    rule: rules.success,
    needs: ['x402'],
    async check(seller) {
      const client = new x402Client().register('eip155:*', new ExactEvmScheme(await seller.newPayer()));
      client.setSpendControls({ maxAmountPerPayment: '$5' });
      const { fetch: through, replies } = fetchThrough(seller);
      await wrapFetchWithPayment(through, client)(seller.url, initOf(seller)).catch(() => undefined);
      return boughtOnce(seller, replies.at(-1));
    },
  },
  {
    id: 'paid.x402-payment-response',
    title: 'reports the settlement in PAYMENT-RESPONSE',
    rule: rules.paymentResponse,
    needs: ['x402'],
    async check(seller) {
      const reply = await seller.pay(await seller.signX402(await seller.newPayer()));
      return settlementOf(reply) ? pass : fail(reply);
    },
  },
  {
    id: 'paid.x402-transaction',
    title: 'names the transaction in which the payer paid the payee',
    rule: rules.settleTransaction,
    needs: ['x402'],
    async check(seller) {
      const payment = await seller.signX402(await seller.newPayer());
      const reply = await seller.pay(payment);
      const told = settlementOf(reply);
      if (!told || !seller.x402) return fail(reply);
      const transfers = await seller.chain.transfersIn(told.transaction, seller.x402.payee);
      if (transfers === null)
        return fail(`The chain has no successful transaction ${told.transaction}.`, reply);
      const isTheirs = transfers.some(({ from }) => from.toLowerCase() === payment.payer.toLowerCase());
      return isTheirs ? pass : fail(`In ${told.transaction}, ${payment.payer} paid nothing.`, reply);
    },
  },
  {
    id: 'paid.x402-network-and-payer',
    title: 'names the network and the payer as they are',
    rule: rules.settleResponse,
    needs: ['x402'],
    async check(seller) {
      const payment = await seller.signX402(await seller.newPayer());
      const reply = await seller.pay(payment);
      const told = settlementOf(reply);
      if (!told) return fail(reply);
      const payer = told.payer?.toLowerCase() ?? payment.payer.toLowerCase();
      return told.network === seller.chain.network && payer === payment.payer.toLowerCase()
        ? pass
        : fail(`It names ${told.network} and ${told.payer}.`, reply);
    },
  },
  {
    id: 'paid.exact-amount',
    title: 'takes exactly the price, and the payee has it',
    rule: rules.exactAmount,
    async check(seller) {
      const offer = seller.x402 ?? seller.mpp;
      if (!offer) return notApplicable('The seller offers nothing on the local chain.');
      const payer = await seller.newPayer();
      const [before] = await seller.chain.balances([payer.address]);
      const reply = await seller.pay(await seller.sign(payer));
      const [after] = await seller.chain.balances([payer.address]);
      const spent = (before ?? 0n) - (after ?? 0n);
      return isDelivery(reply) && spent === offer.price
        ? pass
        : fail(`The price is ${offer.price}, and the payer has ${spent} less.`, reply);
    },
  },
  {
    id: 'paid.two-calls',
    title: 'takes two payments of one payer as two calls',
    rule: rules.success,
    async check(seller) {
      const payer = await seller.newPayer();
      const replies = [
        await seller.pay(await seller.sign(payer)),
        await seller.pay(await seller.sign(payer)),
      ];
      const transfers = await seller.ledger.transfers();
      return replies.every(isDelivery) && transfers === 2
        ? pass
        : fail(`The payee received ${transfers} transfers.`, ...replies);
    },
  },
  {
    id: 'paid.mpp-official-client',
    title: 'serves the official MPP client, unmodified, for one transfer',
    rule: rules.mppGranted,
    needs: ['mpp'],
    async check(seller) {
      const { chain, target } = seller;
      const { chainId, name, version } = chain.domain;
      const { fetch: through, replies } = fetchThrough(seller);
      const client = Mppx.create({
        polyfill: false,
        fetch: through,
        methods: [
          charge({
            account: await seller.newPayer(),
            authorization: { name, version },
            currencies: [chain.usdc],
            decimals: 6,
            maxAmount: '5',
            networks: [chainId],
          }),
        ],
      });
      await client.fetch(target.baseUrl + target.mppPath, initOf(seller)).catch(() => undefined);
      return boughtOnce(seller, replies.at(-1));
    },
  },
  {
    id: 'paid.mpp-receipt',
    title: 'returns a receipt with all fields of the method',
    rule: rules.mppReceipt,
    needs: ['mpp'],
    async check(seller) {
      const reply = await seller.pay(await seller.signMpp(await seller.newPayer()));
      return isDelivery(reply) && receiptOf(reply) ? pass : fail(reply);
    },
  },
  {
    id: 'paid.mpp-receipt-readable',
    title: 'returns a receipt that the official library reads',
    rule: rules.mppReceipt,
    needs: ['mpp'],
    async check(seller) {
      const reply = await seller.pay(await seller.signMpp(await seller.newPayer()));
      const header = reply.headers.get('payment-receipt') ?? '';
      return attempt(() => Receipt.deserialize(header)) ? pass : fail(reply);
    },
  },
  {
    id: 'paid.mpp-receipt-private',
    title: 'marks answers with a receipt as private',
    rule: rules.mppReceiptPrivate,
    needs: ['mpp'],
    async check(seller) {
      const reply = await seller.pay(await seller.signMpp(await seller.newPayer()));
      if (!reply.headers.has('payment-receipt')) return notApplicable('There was no receipt.');
      const directives = (reply.headers.get('cache-control') ?? '').toLowerCase().split(/\s*,\s*/);
      return directives.includes('private') ? pass : fail(reply);
    },
  },
  {
    id: 'paid.mpp-transaction',
    title: 'returns a receipt only for a transaction that is on the chain',
    rule: rules.mppIncluded,
    needs: ['mpp'],
    async check(seller) {
      const payment = await seller.signMpp(await seller.newPayer());
      const reply = await seller.pay(payment);
      const told = receiptOf(reply);
      if (!told || !seller.mpp) return fail(reply);
      const transfers = await seller.chain.transfersIn(told.reference, seller.mpp.payee);
      const isTheirs = transfers?.some(({ from }) => from.toLowerCase() === payment.payer.toLowerCase());
      return isTheirs ? pass : fail(`In ${told.reference}, ${payment.payer} paid nothing.`, reply);
    },
  },
  {
    id: 'paid.invalid-input',
    title: 'charges nothing for an input that it refuses',
    rule: rules.success,
    needs: ['invalidBody'],
    async check(seller) {
      const reply = await seller.buy({ body: seller.target.invalidBody });
      if (isDelivery(reply)) return notApplicable('The seller took the input of --invalid-body.');
      const transfers = await seller.ledger.transfers();
      return transfers === 0 ? pass : fail(`The payee received ${transfers} transfers.`, reply);
    },
  },
  {
    id: 'paid.failed-service-receipt',
    title: 'returns no receipt with the error of a service that fails after the payment',
    rule: rules.mppReceiptOnErrors,
    needs: ['mpp', 'failingBody'],
    async check(seller) {
      const sending = { body: seller.target.failingBody };
      const payment = await seller.signMpp(await seller.newPayer(), undefined, sending);
      const reply = await seller.pay(payment, sending);
      seller.ledger.excuse = 'The seller says that it keeps this payment.';
      if (isDelivery(reply)) return notApplicable('The service did not fail with --failing-body.');
      return reply.headers.has('payment-receipt') ? fail(reply) : pass;
    },
  },
];
