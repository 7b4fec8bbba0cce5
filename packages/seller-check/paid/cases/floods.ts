import { isDelivery, type Reply } from '../client';
import { fail, pass } from '../findings';
import type { PaidCase } from '../paid-case';
import { rules } from '../rules';
import type { PaidSeller } from '../seller';
import { payTogether, untilAnswered } from './outcomes';

const times = <Value>(count: number, make: () => Value): Value[] => Array.from({ length: count }, make);

/** A valid payment is served while others keep the seller busy; at the latest when they have stopped. */
async function servesDuring(seller: PaidSeller, flood: () => Promise<unknown>) {
  const payment = await seller.sign(await seller.newPayer());
  const [, reply] = await Promise.all([flood(), seller.pay(payment)]);
  const last: Reply = isDelivery(reply) ? reply : await untilAnswered(seller, payment);
  return isDelivery(last) ? pass : fail('A valid payment was not served.', last);
}

/** Several valid payments at the same moment are served. */
async function allServed(seller: PaidSeller, payers: number, each: number) {
  const wallets = await Promise.all(times(payers, () => seller.newPayer()));
  const payments = await Promise.all(wallets.flatMap((payer) => times(each, () => seller.sign(payer))));
  const replies = await payTogether(seller, payments);
  const last = await Promise.all(
    replies.map((reply, index) => {
      const payment = payments[index];
      return payment === undefined || isDelivery(reply) || reply.status === 402
        ? reply
        : untilAnswered(seller, payment);
    }),
  );
  const refused = last.filter((reply) => !isDelivery(reply));
  const [first] = refused;
  return first ? fail(`${refused.length} of ${last.length} were not served.`, first) : pass;
}

export const floodCases: readonly PaidCase[] = [
  {
    id: 'flood.unpaid',
    title: 'serves a valid payment during 100 requests without one',
    rule: rules.success,
    check: (seller) => servesDuring(seller, () => Promise.all(times(100, () => seller.send()))),
  },
  {
    id: 'flood.invalid',
    title: 'serves a valid payment during 50 payments with invalid signatures',
    rule: rules.success,
    async check(seller) {
      const payer = await seller.newPayer();
      const signer = await seller.chain.newPayer();
      const invalid = await Promise.all(times(50, () => seller.sign(payer, { signer })));
      return servesDuring(seller, () => payTogether(seller, invalid));
    },
  },
  {
    id: 'flood.many-payers',
    title: 'serves 20 payers who pay at the same moment',
    rule: rules.success,
    breaks: true,
    check: (seller) => allServed(seller, 20, 1),
  },
  {
    id: 'flood.one-payer',
    title: 'serves 10 payments of one payer at the same moment',
    rule: rules.success,
    breaks: true,
    check: (seller) => allServed(seller, 1, 10),
  },
];
