import { expect, test } from '../support/without-browser';
import { describeCounterexample, explore } from './checker';
import { paidCall } from './paid-call';
import type { Mistake, Variant, Weakness } from './step-context';
import { type VariantName, variants } from './variants';

/** Each deliberate mistake with an exploration in which it shows, and the promise that it breaks. */
const mistakes: Readonly<Record<Mistake, readonly [variant: VariantName | Variant, promise: RegExp]>> = {
  'answers before the payment is settled': ['one reorganization, a stranger', /^2: an answer is stored/],
  'says that nothing is charged when it does not know': ['one reorganization, a stranger', /^7:/],
  'sends while another process has the key': ['one reorganization, a stranger', /^one transaction/],
  'debits without looking at the state': ['a prepaid account', /^1: a call is paid once/],
  'trusts its own clock about expiry': ['expiry in steps', /^7:/],
  'takes an unused payment for a refused one': ['one reorganization, a stranger', /^7:/],
  'refuses while a transaction is open': ['a payer who spends the money', /^7:/],
  'claims without a unique key': ['expiry in steps', /^1: a signed payment/],
  'shows the stored answer to anybody': ['one reorganization, a stranger', /^10:/],
  'shows the stored answer of a final refusal to anybody': ['one reorganization, a stranger', /^10:/],
  'answers a refusal that another process has reopened': [
    { ...variants['a payer who spends the money'], expires: 'in steps' },
    /^7:/,
  ],
  'ignores removed blocks': ['one reorganization, a stranger', /comes to an end/],
  'leaves unknown outcomes alone': ['one reorganization, a stranger', /comes to an end/],
  'answers again with what it made itself': ['a prepaid account', /^9:/],
};

/** The steps of the product that break a promise today, and where the model shows it. */
const weaknesses: Readonly<Record<Weakness, readonly [variant: Variant, promise: RegExp]>> = {
  'nodes that all lie about a transaction are believed after its failure was recorded': [
    variants['one lie, a stranger'],
    /^2:/,
  ],
};

function findBroken(variant: Variant) {
  const { counterexample } = explore(paidCall(variant));
  if (counterexample) console.log(describeCounterexample(counterexample));
  return counterexample?.promise;
}

for (const [mistake, [given, promise]] of Object.entries(mistakes))
  test(`a process that ${mistake} is found with the shortest history that shows it`, () => {
    test.setTimeout(240_000);
    const variant = typeof given === 'string' ? variants[given] : given;
    expect(findBroken({ ...variant, mistake: mistake as Mistake })).toMatch(promise);
  });

for (const [weakness, [variant, promise]] of Object.entries(weaknesses))
  test(`the model finds a known weakness: ${weakness}`, () => {
    test.setTimeout(240_000);
    expect(findBroken({ ...variant, weaknesses: [weakness as Weakness] })).toMatch(promise);
  });
