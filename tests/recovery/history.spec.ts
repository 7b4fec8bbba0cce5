import { expect, test } from './fixtures';
import { contradictions } from './history/contradictions';
import { History, type Purchase } from './history/history';
import { readFixed } from './history/ledger';
import { fundedAccount, purchase } from './rig/accounts';
import type { Answer } from './rig/requests';
import { sign } from './rig/requests';
import type { Rig } from './rig/rig';

/** The purchase of an upload, requested twice. */
async function honestPurchase(rig: Rig): Promise<Purchase> {
  const history = new History();
  const request = await sign(rig, await rig.newEvmPayer());
  await history.ask(request);
  await history.ask(request);
  const [purchase] = history.purchases;
  if (!purchase) throw new Error('nothing was written down');
  return purchase;
}

/** The same purchase with a different second answer. */
function answered({ request, attempts }: Purchase, change: (answer: Answer) => Partial<Answer>): Purchase {
  return {
    request,
    attempts: attempts.map((attempt, index) => ({
      ...attempt,
      answer:
        index === 1 && attempt.answer ? { ...attempt.answer, ...change(attempt.answer) } : attempt.answer,
    })),
  };
}

function headersWith(answer: Answer, name: string, value: string): Headers {
  const headers = new Headers(answer.headers);
  headers.set(name, value);
  return headers;
}

const receipt = (transaction: string) => Buffer.from(JSON.stringify({ transaction })).toString('base64');

/** Answers that a broken server could have given, and the contradiction that is then reported. */
const lies: readonly { what: string; tell: (honest: Purchase) => Purchase; seen: string }[] = [
  {
    what: 'a 402 for what is paid',
    tell: (honest) => answered(honest, () => ({ status: 402, body: {} })),
    seen: 'called unpaid by a 402, and paid',
  },
  {
    what: '"nothing was charged" after the call was made',
    tell: (honest) => answered(honest, () => ({ status: 503, body: { error: { payment: 'none' } } })),
    seen: 'told at 503 "nothing was charged"',
  },
  {
    what: 'another answer than the first',
    tell: (honest) => answered(honest, ({ body }) => ({ body: { ...body, uploadUrl: 'https://elsewhere' } })),
    seen: 'different answers',
  },
  {
    what: 'another upload than the ledger has',
    tell: (honest) => answered(honest, ({ body }) => ({ body: { ...body, id: 'up_invented' } })),
    seen: 'got up_invented',
  },
  {
    what: 'another paid call',
    tell: (honest) =>
      answered(honest, (answer) => ({ headers: headersWith(answer, 'paid-call-id', 'pc_invented') })),
    seen: 'told of pc_invented',
  },
  {
    what: 'a receipt of another transaction',
    tell: (honest) =>
      answered(honest, (answer) => ({ headers: headersWith(answer, 'payment-response', receipt('0x01')) })),
    seen: 'told of transaction 0x01',
  },
  {
    what: 'a delivery that nobody paid',
    tell: ({ request, attempts }) => ({ request: { ...request, authorization: '0x01' }, attempts }),
    seen: 'delivered and never paid',
  },
  {
    what: 'a payment of another amount',
    tell: ({ request, attempts }) => ({ request: { ...request, priceAtomic: 4_999n }, attempts }),
    seen: 'paid 5000 for 4999',
  },
  {
    what: 'a delivery taken back',
    tell: (honest) => answered(honest, () => ({ status: 404, body: {} })),
    seen: 'delivered, then refused',
  },
];

for (const { what, tell, seen } of lies) {
  test(`the comparison of clients, chains and ledger detects ${what}`, async ({ comparedRig: rig }) => {
    const honest = await honestPurchase(rig);
    expect(await contradictions(rig, { purchases: [honest] })).toEqual([]);
    for (const isReorganized of [false, true]) {
      const found = await contradictions(rig, { purchases: [tell(honest)] }, undefined, isReorganized);
      expect(found.join('\n')).toContain(seen);
    }
  });
}

test('the comparison of clients, chains and ledger tells the calls of one account apart', async ({
  comparedRig: rig,
}) => {
  const account = await fundedAccount(rig);
  const history = new History();
  for (const request of [purchase(rig, account), purchase(rig, account)]) {
    await history.ask(request);
    await history.ask(request);
  }
  expect(await contradictions(rig, history)).toEqual([]);
  const [first, second] = history.purchases;
  if (!first || !second) throw new Error('nothing was written down');
  const swapped = [{ ...first, attempts: second.attempts }];
  expect((await contradictions(rig, { purchases: swapped })).join('\n')).toContain('told of pc_');
});

test('the comparison of clients, chains and ledger sees a record of money that changed', async ({
  comparedRig: rig,
}) => {
  await honestPurchase(rig);
  const before = new Map(await readFixed(rig));
  const [key = ''] = before.keys();
  before.set(key, 'what it was');
  expect(await contradictions(rig, { purchases: [] }, before)).toEqual([`changed: ${key}`]);
});
