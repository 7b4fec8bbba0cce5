import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateKeyAccount } from 'viem/accounts';
import { isDelivery } from '../client';
import { fail, notApplicable, pass } from '../findings';
import { submission } from '../node-proxy';
import type { PaidCase } from '../paid-case';
import type { Payment } from '../payments';
import { rules } from '../rules';
import type { PaidSeller } from '../seller';
import { isRefused, payTogether } from './outcomes';

const priceOf = ({ x402, mpp }: PaidSeller) => x402?.price ?? mpp?.price ?? 0n;

/** Pays several times at once with a balance for fewer. */
async function overdraw(seller: PaidSeller, payments: number, covered: number) {
  const payer = await seller.newPayer(priceOf(seller) * BigInt(covered));
  const signed = await Promise.all(Array.from({ length: payments }, () => seller.sign(payer)));
  const replies = await payTogether(seller, signed);
  const served = replies.filter(isDelivery).length;
  return served > covered
    ? fail(`${served} of ${payments} calls were served, with money for ${covered}.`, ...replies.slice(0, 2))
    : pass;
}

/** Something happens to the payer's money after the seller has verified the payment and before its transaction is included. */
async function betweenVerifyAndSettle(
  seller: PaidSeller,
  happens: (payment: Payment, payer: PrivateKeyAccount) => Promise<void>,
) {
  const payer = await seller.newPayer();
  const payment = await seller.sign(payer);
  const hold = seller.node.faults.hold(submission, 'before');
  const replying = seller.pay(payment, { timeoutMs: 40_000 });
  const isReached = await Promise.race([hold.reached.then(() => true), replying.then(() => false)]);
  if (!isReached) {
    const reply = await replying;
    return isDelivery(reply)
      ? fail('It was served before anything was submitted to the chain.', reply)
      : notApplicable(`It answered ${reply.status} and submitted nothing through its node.`);
  }
  await happens(payment, payer);
  hold.release();
  const reply = await replying;
  // What the seller does next, such as submitting again, must change nothing.
  await sleep(500);
  const transfers = await seller.ledger.transfers();
  if (transfers > 0) return fail(`${transfers} transfers`, reply);
  return isDelivery(reply) ? fail('It was served without a transfer.', reply) : pass;
}

export const balanceCases: readonly PaidCase[] = [
  {
    id: 'balance.none',
    title: 'refuses a payer without money',
    rule: rules.balance,
    check: async (seller) =>
      isRefused(seller, await seller.pay(await seller.sign(await seller.newPayer(0n)))),
  },
  {
    id: 'balance.one-short',
    title: 'refuses a payer who is one atomic unit short',
    rule: rules.balance,
    async check(seller) {
      const payer = await seller.newPayer(priceOf(seller) - 1n);
      return isRefused(seller, await seller.pay(await seller.sign(payer)));
    },
  },
  {
    id: 'balance.two-together',
    title: 'serves one of two payments at the same moment when there is money for one',
    rule: rules.success,
    check: (seller) => overdraw(seller, 2, 1),
  },
  {
    id: 'balance.ten-together',
    title: 'serves at most three of ten payments at the same moment when there is money for three',
    rule: rules.success,
    check: (seller) => overdraw(seller, 10, 3),
  },
  {
    id: 'balance.spent-before-settlement',
    title: 'does not serve a payer who spends the balance between verification and settlement',
    rule: rules.success,
    breaks: true,
    check: (seller) => betweenVerifyAndSettle(seller, ({ payer }) => seller.chain.empty(payer)),
  },
  {
    id: 'balance.canceled-before-settlement',
    title: 'does not serve a payer who cancels between verification and settlement',
    rule: rules.success,
    breaks: true,
    check: (seller) =>
      betweenVerifyAndSettle(seller, ({ authorization }, payer) =>
        seller.chain.cancel(payer, authorization.nonce),
      ),
  },
  {
    id: 'balance.blocked-before-settlement',
    title: 'does not serve a payer whom the token blocks between verification and settlement',
    rule: rules.success,
    breaks: true,
    check: (seller) => betweenVerifyAndSettle(seller, ({ payer }) => seller.chain.setBlocked(payer, true)),
  },
  {
    id: 'balance.token-paused',
    title: 'serves nobody while the token is paused',
    rule: rules.simulation,
    breaks: true,
    async check(seller) {
      const payment = await seller.sign(await seller.newPayer());
      await seller.chain.setPaused(true);
      try {
        const reply = await seller.pay(payment);
        return isDelivery(reply) ? fail('It was served without a transfer.', reply) : pass;
      } finally {
        await seller.chain.setPaused(false);
      }
    },
  },
];
