import { isDelivery } from '../client';
import { fail, pass } from '../findings';
import { afterwards, instead, submission } from '../node-proxy';
import type { PaidCase } from '../paid-case';
import type { Payment } from '../payments';
import { rules } from '../rules';
import type { PaidSeller } from '../seller';
import { fitsTheMoney, untilAnswered } from './outcomes';

/** Kills the seller at once and starts it again with the same command. */
async function crash({ process }: PaidSeller): Promise<void> {
  await process?.kill();
  await process?.start();
}

/** Kills the seller while it pays, and sends the payment again after its restart. */
async function retryAfterCrash(seller: PaidSeller, payment: Payment, reached: Promise<void>) {
  const lost = seller.pay(payment);
  await Promise.race([reached, lost]);
  await seller.process?.kill();
  await lost;
  seller.node.faults.clear();
  await seller.process?.start();
  const reply = await untilAnswered(seller, payment);
  return isDelivery(reply) || reply.status === 402
    ? fitsTheMoney(seller, reply)
    : fail('It did not say whether the payment succeeded.', reply);
}

export const restartCases: readonly PaidCase[] = [
  {
    id: 'restart.before-submission',
    title: 'answers a retry in line with the money after a crash before the payment was submitted',
    rule: rules.success,
    needs: ['process'],
    breaks: true,
    async check(seller) {
      const payment = await seller.sign(await seller.newPayer());
      const { reached } = seller.node.faults.on(submission, instead('hang'));
      return retryAfterCrash(seller, payment, reached);
    },
  },
  {
    id: 'restart.after-submission',
    title: 'delivers to a retry after a crash in which the payment was submitted',
    rule: rules.paymentFailed,
    needs: ['process'],
    breaks: true,
    async check(seller) {
      const payment = await seller.sign(await seller.newPayer());
      const { reached } = seller.node.faults.on(submission, afterwards('hang'));
      // The node answers nothing, but has passed it on as soon as the chain shows it.
      const isPaid = reached.then(async () => {
        for (let waited = 0; waited < 3_000 && (await seller.ledger.transfers()) === 0; waited += 50)
          await new Promise((resolve) => setTimeout(resolve, 50));
      });
      return retryAfterCrash(seller, payment, isPaid);
    },
  },
  {
    id: 'restart.after-answer',
    title: 'neither charges nor serves again for a payment that it has answered before a crash',
    rule: rules.oneTime,
    needs: ['process'],
    async check(seller) {
      const payment = await seller.sign(await seller.newPayer());
      const first = await seller.pay(payment);
      await crash(seller);
      const second = await seller.pay(payment);
      const transfers = await seller.ledger.transfers();
      if (!isDelivery(first) || transfers !== 1) return fail(`${transfers} transfers`, first, second);
      return isDelivery(second) && second.text !== first.text
        ? fail('One payment was answered with different results.', first, second)
        : pass;
    },
  },
  {
    id: 'restart.other-body',
    title: 'does not serve another request after a crash for a payment that has bought one',
    rule: rules.singleUse,
    needs: ['process', 'otherBody'],
    async check(seller) {
      const payment = await seller.sign(await seller.newPayer());
      const first = await seller.pay(payment);
      await crash(seller);
      const second = await seller.pay(payment, { body: seller.target.otherBody });
      if (!isDelivery(first)) return fail(first);
      return isDelivery(second) ? fail('One payment bought two different calls.', first, second) : pass;
    },
  },
  {
    id: 'restart.mpp-challenge',
    title: 'takes or refuses a challenge from before a crash in line with the money',
    rule: rules.mppAtomic,
    needs: ['process', 'mpp'],
    async check(seller) {
      const payment = await seller.signMpp(await seller.newPayer());
      await crash(seller);
      return fitsTheMoney(seller, await seller.pay(payment));
    },
  },
];
