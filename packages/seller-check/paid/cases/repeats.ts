import { setTimeout as sleep } from 'node:timers/promises';
import { isDelivery, type Reply } from '../client';
import { fail, notApplicable, pass } from '../findings';
import { submission } from '../node-proxy';
import type { PaidCase } from '../paid-case';
import type { Payment } from '../payments';
import { rules } from '../rules';
import type { PaidSeller, Sending } from '../seller';
import { untilAnswered } from './outcomes';

/** A payment id of the extension, as its text recommends. */
const newIdentifier = () => `pay_${crypto.randomUUID().replaceAll('-', '')}`;

/** The extensions of the challenge, with an id for the payment. */
function withIdentifier({ x402 }: PaidSeller, id: string) {
  const offered = x402?.extensions['payment-identifier'];
  const { info, ...rest } = (typeof offered === 'object' ? offered : {}) as { info?: object };
  return { ...x402?.extensions, 'payment-identifier': { ...rest, info: { ...info, id } } };
}

/** Sends the same payment several times at the same moment. */
const sendTogether = (seller: PaidSeller, payment: Payment, times: number, sending?: Sending) =>
  Promise.all(Array.from({ length: times }, () => seller.pay(payment, sending)));

/** One transfer, and no two different answers. */
async function paidAndServedOnce(seller: PaidSeller, replies: readonly Reply[]) {
  const delivered = replies.filter(isDelivery);
  const transfers = await seller.ledger.transfers();
  const answers = new Set(delivered.map(({ text }) => text));
  if (transfers > 1) return fail(`One payment led to ${transfers} transfers.`, ...replies.slice(0, 2));
  if (answers.size > 1) return fail('One payment was answered with different results.', ...delivered);
  return delivered.length > 0 ? pass : fail('None of the requests was served.', ...replies.slice(0, 2));
}

/** A second use of a payment for something else: no delivery, and no second charge. */
async function refusesSecondUse(seller: PaidSeller, first: Reply, second: Reply) {
  if (!isDelivery(first)) return fail('The first request was not served.', first);
  const transfers = await seller.ledger.transfers();
  if (transfers !== 1) return fail(`The payee received ${transfers} transfers.`, first, second);
  return isDelivery(second) ? fail('One payment bought two different calls.', first, second) : pass;
}

interface OtherRequest {
  readonly name: string;
  readonly noun: string;
  readonly needs: 'otherBody' | 'otherPath';
  of(seller: PaidSeller): Sending;
}

/** What a payment that has bought one call must not buy too. */
const otherRequests: readonly OtherRequest[] = [
  { name: 'body', noun: 'request', needs: 'otherBody', of: ({ target }) => ({ body: target.otherBody }) },
  { name: 'path', noun: 'path', needs: 'otherPath', of: ({ target }) => ({ path: target.otherPath }) },
];

export const repeatCases: readonly PaidCase[] = [
  {
    id: 'repeats.x402-afterwards',
    title: 'charges once for a payment that is sent again after the answer',
    rule: rules.oneTime,
    needs: ['x402'],
    async check(seller) {
      const payment = await seller.signX402(await seller.newPayer());
      return paidAndServedOnce(seller, [await seller.pay(payment), await seller.pay(payment)]);
    },
  },
  ...[2, 10].map(
    (times): PaidCase => ({
      id: `repeats.x402-${times}-together`,
      title: `charges once for a payment that is sent ${times} times at the same moment`,
      rule: rules.oneTime,
      needs: ['x402'],
      async check(seller) {
        const payment = await seller.signX402(await seller.newPayer());
        return paidAndServedOnce(seller, await sendTogether(seller, payment, times));
      },
    }),
  ),
  ...otherRequests.flatMap(({ name, noun, needs, of }): PaidCase[] => [
    {
      id: `repeats.x402-other-${name}`,
      title: `does not serve another ${noun} for a payment that has bought one`,
      rule: rules.singleUse,
      needs: ['x402', needs],
      async check(seller) {
        const payment = await seller.signX402(await seller.newPayer());
        const first = await seller.pay(payment);
        return refusesSecondUse(seller, first, await seller.pay(payment, of(seller)));
      },
    },
    {
      id: `repeats.x402-other-${name}-together`,
      title: `serves one of two ${noun}s for one payment at the same moment`,
      rule: rules.singleUse,
      needs: ['x402', needs],
      async check(seller) {
        const payment = await seller.signX402(await seller.newPayer());
        const replies = await Promise.all([seller.pay(payment), seller.pay(payment, of(seller))]);
        if (!replies.some(isDelivery)) return fail('Neither request was served.', ...replies);
        return replies.every(isDelivery) ? fail('One payment bought two different calls.', ...replies) : pass;
      },
    },
  ]),
  {
    id: 'repeats.identifier-same-payload',
    title: 'answers the same payment with the same id as it did the first time',
    rule: rules.sameIdentifier,
    needs: ['x402', 'identifier'],
    async check(seller) {
      const extensions = withIdentifier(seller, newIdentifier());
      const payment = await seller.signX402(await seller.newPayer(), { extensions });
      const first = await seller.pay(payment);
      const second = await seller.pay(payment);
      if (!isDelivery(first)) return fail(first);
      return second.status === first.status && second.text === first.text ? pass : fail(first, second);
    },
  },
  {
    id: 'repeats.identifier-payment-response',
    title: 'answers the same payment with the same id with the same PAYMENT-RESPONSE',
    rule: rules.storedResponse,
    needs: ['x402', 'identifier'],
    async check(seller) {
      const extensions = withIdentifier(seller, newIdentifier());
      const payment = await seller.signX402(await seller.newPayer(), { extensions });
      const first = await seller.pay(payment);
      const second = await seller.pay(payment);
      const told = first.headers.get('payment-response');
      return told !== null && second.headers.get('payment-response') === told ? pass : fail(first, second);
    },
  },
  {
    id: 'repeats.identifier-lost-answer',
    title: 'answers a payment with an id again whose answer the client has lost',
    rule: rules.lostResponse,
    needs: ['x402', 'identifier'],
    async check(seller) {
      const extensions = withIdentifier(seller, newIdentifier());
      const payment = await seller.signX402(await seller.newPayer(), { extensions });
      await loseAnswer(seller, payment);
      return untilServed(seller, payment);
    },
  },
  {
    id: 'repeats.identifier-other-payload',
    title: 'answers 409 to the id of one payment with another one, and charges nothing for it',
    rule: rules.otherPayload,
    needs: ['x402', 'identifier', 'otherBody'],
    async check(seller) {
      const payer = await seller.newPayer();
      const extensions = withIdentifier(seller, newIdentifier());
      const first = await seller.pay(await seller.signX402(payer, { extensions }));
      const second = await seller.pay(await seller.signX402(payer, { extensions }), {
        body: seller.target.otherBody,
      });
      if (!isDelivery(first)) return fail(first);
      return second.status === 409 ? pass : fail(first, second);
    },
  },
  {
    id: 'repeats.x402-lost-answer',
    title: 'charges once when the client loses the answer and sends the payment again',
    rule: rules.oneTime,
    needs: ['x402'],
    async check(seller) {
      const payment = await seller.signX402(await seller.newPayer());
      await loseAnswer(seller, payment);
      const again = await untilAnswered(seller, payment);
      const transfers = await seller.ledger.transfers();
      if (transfers > 1) return fail(`The payee received ${transfers} transfers.`, again);
      if (isDelivery(again)) return pass;
      return transfers === 1
        ? notApplicable(
            `It charged once, and answered ${again.status} to the payment that it has settled. Without payment-identifier, x402 does not ask for more.`,
          )
        : fail('It served nothing and charged nothing for a valid payment.', again);
    },
  },
  {
    id: 'repeats.mpp-afterwards',
    title: 'charges and serves once for a credential that is sent again',
    rule: rules.mppUsedOnce,
    needs: ['mpp'],
    async check(seller) {
      const payment = await seller.signMpp(await seller.newPayer());
      return paidAndServedOnce(seller, [await seller.pay(payment), await seller.pay(payment)]);
    },
  },
  {
    id: 'repeats.mpp-10-together',
    title: 'charges and serves once for a credential that is sent 10 times at the same moment',
    rule: rules.mppConcurrent,
    needs: ['mpp'],
    async check(seller) {
      const payment = await seller.signMpp(await seller.newPayer());
      return paidAndServedOnce(seller, await sendTogether(seller, payment, 10));
    },
  },
  {
    id: 'repeats.mpp-other-body',
    title: 'does not serve another request for a credential that has bought one',
    rule: rules.mppConsumed,
    needs: ['mpp', 'otherBody'],
    async check(seller) {
      const payment = await seller.signMpp(await seller.newPayer());
      const first = await seller.pay(payment);
      return refusesSecondUse(seller, first, await seller.pay(payment, { body: seller.target.otherBody }));
    },
  },
  {
    id: 'repeats.mpp-digest',
    title: 'does not take a credential for another body than its challenge names',
    rule: rules.mppDigest,
    needs: ['mpp', 'otherBody'],
    async check(seller) {
      if (seller.mpp?.challenge.digest === undefined)
        return notApplicable('The challenge names no digest of the body.');
      const payment = await seller.signMpp(await seller.newPayer());
      const reply = await seller.pay(payment, { body: seller.target.otherBody });
      const transfers = await seller.ledger.transfers();
      return isDelivery(reply) || transfers > 0 ? fail(`${transfers} transfers`, reply) : pass;
    },
  },
  {
    id: 'repeats.mpp-second-authorization',
    title: 'serves once for a challenge that is paid with two different signatures',
    rule: rules.mppUsedOnce,
    needs: ['mpp'],
    async check(seller) {
      const payer = await seller.newPayer();
      const offer = await seller.challengeMpp();
      const first = await seller.signMppFor(offer, payer);
      const validBefore = first.authorization.validBefore - 1n;
      const second = await seller.signMppFor(offer, payer, { authorization: { validBefore } });
      return paidAndServedOnce(seller, [await seller.pay(first), await seller.pay(second)]);
    },
  },
  {
    id: 'repeats.mpp-idempotency-key',
    title: 'answers a retry with the same Idempotency-Key as it did the first time',
    rule: rules.mppIdempotencyKey,
    needs: ['mpp'],
    async check(seller) {
      const headers = { 'Idempotency-Key': newIdentifier() };
      const payment = await seller.signMpp(await seller.newPayer());
      const first = await seller.pay(payment, { headers });
      const second = await seller.pay(payment, { headers });
      if (!isDelivery(first)) return fail(first);
      return second.status === first.status && second.text === first.text ? pass : fail(first, second);
    },
  },
  {
    id: 'repeats.mpp-idempotency-key-new-payment',
    title: 'does not charge for a new credential with an Idempotency-Key that was answered',
    rule: rules.mppIdempotencyKey,
    needs: ['mpp'],
    async check(seller) {
      const payer = await seller.newPayer();
      const headers = { 'Idempotency-Key': newIdentifier() };
      const first = await seller.pay(await seller.signMpp(payer), { headers });
      const second = await seller.pay(await seller.signMpp(payer), { headers });
      if (!isDelivery(first)) return fail(first);
      const transfers = await seller.ledger.transfers();
      seller.ledger.excuse = 'Two credentials of one key buy one call.';
      return second.text === first.text && transfers === 1
        ? pass
        : fail(`The payee received ${transfers} transfers.`, first, second);
    },
  },
  {
    id: 'repeats.other-protocol',
    title: 'does not serve over x402 what one authorization has bought over MPP',
    rule: rules.singleUse,
    needs: ['x402', 'mpp'],
    async check(seller) {
      const { first, second } = await signOverBoth(seller);
      return onceOverBoth(seller, [await seller.pay(first), await seller.pay(second)]);
    },
  },
  {
    id: 'repeats.other-protocol-together',
    title: 'serves one of two requests that carry one authorization over x402 and MPP',
    rule: rules.singleUse,
    needs: ['x402', 'mpp'],
    async check(seller) {
      const { first, second } = await signOverBoth(seller);
      return onceOverBoth(seller, await Promise.all([seller.pay(first), seller.pay(second)]));
    },
  },
];

/** One authorization, as a payment over MPP and as one over x402. */
async function signOverBoth(seller: PaidSeller) {
  const payer = await seller.newPayer();
  const first = await seller.signMpp(payer);
  const second = await seller.signX402(payer, { authorization: first.authorization });
  return { first, second };
}

async function onceOverBoth(seller: PaidSeller, replies: readonly Reply[]) {
  const served = replies.filter(isDelivery);
  const transfers = await seller.ledger.transfers();
  return served.length === 1 && transfers === 1
    ? pass
    : fail(`${served.length} requests were served for ${transfers} transfers.`, ...replies);
}

/** Sends a payment, and ends the connection when the seller has submitted it. */
async function loseAnswer(seller: PaidSeller, payment: Payment): Promise<void> {
  const submitted = seller.node.faults.on(submission, async (carryOut) => {
    const answer = await carryOut();
    await sleep(200);
    return answer;
  });
  await seller.pay(payment, { cutWhen: submitted.reached });
  submitted.end();
}

async function untilServed(seller: PaidSeller, payment: Payment) {
  const reply = await untilAnswered(seller, payment);
  const transfers = await seller.ledger.transfers();
  return isDelivery(reply) && transfers === 1 ? pass : fail(`${transfers} transfers`, reply);
}
