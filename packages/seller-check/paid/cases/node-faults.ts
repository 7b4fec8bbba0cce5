import { setTimeout as sleep } from 'node:timers/promises';
import { isDelivery } from '../client';
import type { Misbehavior } from '../faults';
import { fail, pass } from '../findings';
import { afterwards, instead, type NodeAnswer, type NodeCall, submission } from '../node-proxy';
import type { PaidCase } from '../paid-case';
import { rules } from '../rules';
import { fitsTheMoney } from './outcomes';

interface NodeFault {
  readonly name: string;
  readonly title: string;
  readonly misbehavior: Misbehavior<NodeCall, NodeAnswer>;
  /** How many calls meet it. */
  readonly times?: number;
}

const rpcError = (message: string) => ({ error: { code: -32_000, message } });

/** The node has included the payment, or will, and the seller does not learn it from the answer. */
const unknownSubmissions: readonly NodeFault[] = [
  {
    name: 'answer-lost',
    title: 'the node submits the payment and the connection breaks before its answer',
    misbehavior: afterwards('cut'),
  },
  {
    name: 'answer-500',
    title: 'the node submits the payment and answers 500',
    misbehavior: afterwards('status-500'),
  },
  {
    name: 'answer-nonsense',
    title: 'the node submits the payment and answers HTML',
    misbehavior: afterwards('nonsense'),
  },
  {
    name: 'answer-hangs',
    title: 'the node submits the payment and does not answer',
    misbehavior: afterwards('hang'),
  },
  {
    name: 'claims-failure',
    title: 'the node submits the payment and reports an internal error',
    misbehavior: afterwards(rpcError('internal error')),
  },
];

/** The node has submitted nothing. */
const failedSubmissions: readonly NodeFault[] = [
  {
    name: 'request-lost',
    title: 'the connection breaks before the node submits the payment',
    misbehavior: instead('cut'),
  },
  {
    name: 'refused',
    title: 'the node refuses to submit the payment',
    misbehavior: instead(rpcError('transaction underpriced')),
  },
  {
    name: 'rate-limited',
    title: 'the node limits how often payments are submitted',
    misbehavior: instead('status-429'),
    times: 3,
  },
];

/** The node fails with everything. */
const outages: readonly NodeFault[] = [
  { name: 'down', title: 'the node is down', misbehavior: instead('cut') },
  { name: 'answers-500', title: 'the node answers 500 to everything', misbehavior: instead('status-500') },
  {
    name: 'answers-nonsense',
    title: 'the node answers HTML to everything',
    misbehavior: instead('nonsense'),
  },
  { name: 'limits', title: 'the node limits everything', misbehavior: instead('status-429') },
  { name: 'hangs', title: 'the node answers nothing', misbehavior: instead('hang') },
];

const duringSubmission = (
  { name, title, misbehavior, times = 1 }: NodeFault,
  rule: PaidCase['rule'],
): PaidCase => ({
  id: `node.submission-${name}`,
  title: `delivers what is paid, and reports no failed payment of money that moved, when ${title}`,
  rule,
  breaks: true,
  async check(seller) {
    const payment = await seller.sign(await seller.newPayer());
    const fault = seller.node.faults.on(submission, misbehavior, times);
    const reply = await seller.pay(payment);
    fault.end();
    return fitsTheMoney(seller, reply);
  },
});

export const nodeFaultCases: readonly PaidCase[] = [
  ...unknownSubmissions.map((fault) => duringSubmission(fault, rules.paymentFailed)),
  ...failedSubmissions.map((fault) => duringSubmission(fault, rules.success)),
  ...outages.map(
    ({ name, title, misbehavior }): PaidCase => ({
      id: `node.${name}`,
      title: `delivers nothing unpaid and charges nothing undelivered while ${title}`,
      rule: rules.success,
      breaks: true,
      async check(seller) {
        const payment = await seller.sign(await seller.newPayer());
        const fault = seller.node.faults.on('*', misbehavior);
        const reply = await seller.pay(payment, { timeoutMs: 12_000 });
        const transfers = await seller.ledger.transfers();
        fault.end();
        return isDelivery(reply) && transfers === 0
          ? fail('It was served without a transfer.', reply)
          : fitsTheMoney(seller, reply);
      },
    }),
  ),
  {
    id: 'node.receipt-missing',
    title: 'delivers what is paid when the node knows no receipt for some seconds',
    rule: rules.paymentFailed,
    breaks: true,
    async check(seller) {
      const payment = await seller.sign(await seller.newPayer());
      const fault = seller.node.faults.on('eth_getTransactionReceipt', instead({ result: null }));
      const replying = seller.pay(payment);
      await Promise.race([replying, sleep(4_000)]);
      fault.end();
      return fitsTheMoney(seller, await replying);
    },
  },
  {
    id: 'node.not-included',
    title: 'does not deliver before the payment is included in a block',
    rule: rules.success,
    breaks: true,
    async check(seller) {
      const payment = await seller.sign(await seller.newPayer());
      await seller.chain.setIncluding(false);
      try {
        const replying = seller.pay(payment);
        const early = await Promise.race([replying, sleep(3_000, null)]);
        if (early && isDelivery(early)) return fail('It was served while no block was made.', early);
        await seller.chain.setIncluding(true);
        return fitsTheMoney(seller, await replying);
      } finally {
        await seller.chain.setIncluding(true);
      }
    },
  },
  {
    id: 'node.dropped',
    title: 'does not deliver for a transaction that the network has dropped',
    rule: rules.success,
    breaks: true,
    async check(seller) {
      const payment = await seller.sign(await seller.newPayer());
      await seller.chain.setIncluding(false);
      const isSubmitted = seller.node.faults.on(submission, (carryOut) => carryOut());
      try {
        const replying = seller.pay(payment, { timeoutMs: 30_000 });
        await Promise.race([isSubmitted.reached.then(() => sleep(300)), replying]);
        await seller.chain.dropPending();
        await seller.chain.setIncluding(true);
        const reply = await replying;
        const transfers = await seller.ledger.transfers();
        return isDelivery(reply) && transfers === 0 ? fail('It was served without a transfer.', reply) : pass;
      } finally {
        await seller.chain.setIncluding(true);
      }
    },
  },
];
