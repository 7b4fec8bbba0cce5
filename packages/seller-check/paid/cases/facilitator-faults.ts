import { isDelivery } from '../client';
import type { FacilitatorAnswer } from '../facilitator';
import type { Misbehavior } from '../faults';
import { fail, pass } from '../findings';
import type { PaidCase } from '../paid-case';
import { rules } from '../rules';
import { fitsTheMoney } from './outcomes';

type Behavior = Misbehavior<'verify' | 'settle' | 'supported', FacilitatorAnswer>;

interface FacilitatorFault {
  readonly name: string;
  readonly title: string;
  readonly behavior: Behavior;
}

const nonsense: FacilitatorAnswer = { status: 200, body: '<h1>It works!</h1>' };
const broken: FacilitatorAnswer = { status: 500, body: { error: 'internal error' } };

const instead =
  (answer: FacilitatorAnswer): Behavior =>
  async () =>
    answer;

const afterwards =
  (answer: FacilitatorAnswer): Behavior =>
  async (carryOut) => {
    await carryOut();
    return answer;
  };

/** The facilitator does not verify. */
const verifications: readonly FacilitatorFault[] = [
  { name: 'down', title: 'is down', behavior: instead('cut') },
  { name: 'answers-500', title: 'answers 500', behavior: instead(broken) },
  { name: 'answers-nonsense', title: 'answers HTML', behavior: instead(nonsense) },
  {
    name: 'says-invalid',
    title: 'finds the payment invalid',
    behavior: instead({ status: 200, body: { isValid: false, invalidReason: 'insufficient_funds' } }),
  },
];

/** The facilitator settles nothing. */
const failedSettlements: readonly FacilitatorFault[] = [
  { name: 'down', title: 'is down', behavior: instead('cut') },
  { name: 'answers-500', title: 'answers 500', behavior: instead(broken) },
  { name: 'answers-nonsense', title: 'answers HTML', behavior: instead(nonsense) },
  {
    name: 'fails',
    title: 'reports a failed settlement',
    behavior: instead({
      status: 200,
      body: {
        success: false,
        errorReason: 'insufficient_funds',
        transaction: '',
        network: 'eip155:8453',
      },
    }),
  },
];

/** The facilitator settles, and the seller does not learn it from the answer. */
const unknownSettlements: readonly FacilitatorFault[] = [
  {
    name: 'answer-lost',
    title: 'settles the payment and the connection breaks before its answer',
    behavior: afterwards('cut'),
  },
  {
    name: 'answer-500',
    title: 'settles the payment and answers 500',
    behavior: afterwards(broken),
  },
  {
    name: 'answer-nonsense',
    title: 'settles the payment and answers HTML',
    behavior: afterwards(nonsense),
  },
];

export const facilitatorFaultCases: readonly PaidCase[] = [
  ...[
    ...verifications.map((fault) => ({ route: 'verify', ...fault }) as const),
    ...failedSettlements.map((fault) => ({ route: 'settle', ...fault }) as const),
  ].map(
    ({ route, name, title, behavior }): PaidCase => ({
      id: `facilitator.${route}-${name}`,
      title: `delivers nothing unpaid when the facilitator ${title} instead of ${route === 'verify' ? 'verifying' : 'settling'}`,
      rule: rules.success,
      needs: ['facilitator'],
      breaks: true,
      async check(seller) {
        const payment = await seller.sign(await seller.newPayer());
        const fault = seller.facilitator.faults.on(route, behavior);
        const reply = await seller.pay(payment);
        const transfers = await seller.ledger.transfers();
        fault.end();
        if (isDelivery(reply) && transfers === 0) return fail('It was served without a transfer.', reply);
        return fitsTheMoney(seller, reply);
      },
    }),
  ),
  ...unknownSettlements.map(
    ({ name, title, behavior }): PaidCase => ({
      id: `facilitator.settle-${name}`,
      title: `reports no failed payment of money that moved when the facilitator ${title}`,
      rule: rules.paymentFailed,
      needs: ['facilitator'],
      breaks: true,
      async check(seller) {
        const payment = await seller.sign(await seller.newPayer());
        seller.facilitator.faults.on('settle', behavior, 1);
        return fitsTheMoney(seller, await seller.pay(payment));
      },
    }),
  ),
  {
    id: 'facilitator.settle-twice',
    title: 'is paid once when the facilitator receives a settlement twice',
    rule: rules.oneTime,
    needs: ['facilitator'],
    breaks: true,
    async check(seller) {
      const payment = await seller.sign(await seller.newPayer());
      seller.facilitator.faults.on('settle', async (carryOut) => {
        const answer = await carryOut();
        await carryOut();
        return answer;
      });
      const reply = await seller.pay(payment);
      return isDelivery(reply) ? fitsTheMoney(seller, reply) : fail(reply);
    },
  },
  {
    id: 'facilitator.settle-slow',
    title: 'delivers when the facilitator settles after five seconds',
    rule: rules.success,
    needs: ['facilitator'],
    breaks: true,
    async check(seller) {
      const payment = await seller.sign(await seller.newPayer());
      seller.facilitator.faults.on('settle', async (carryOut) => {
        await new Promise((resolve) => setTimeout(resolve, 5_000));
        return carryOut();
      });
      const reply = await seller.pay(payment, { timeoutMs: 30_000 });
      return isDelivery(reply) ? pass : fail(reply);
    },
  },
];
