import type { Variant } from './step-context';

const none = { lies: 0, reorganizations: 0, silences: 0, transfers: 0 };

const base: Variant = {
  prepares: false,
  paysFrom: 'wallet',
  second: 'owner',
  fails: false,
  payer: [],
  expires: 'at once',
  limits: none,
};

/** One exploration. Processes are killed at any step in each of them, any number of times. */
const variant = (
  changes: Partial<Omit<Variant, 'limits'>> & { readonly limits?: Partial<Variant['limits']> },
): Variant => ({
  ...base,
  ...changes,
  limits: { ...none, ...changes.limits },
});

/** What is explored completely, by what happens besides kills. Everything at once would be too many states. */
export const variants = {
  'expiry in steps': variant({ expires: 'in steps' }),
  'one lie, a stranger': variant({ prepares: true, second: 'stranger', limits: { lies: 1 } }),
  'one reorganization, a stranger': variant({ second: 'stranger', limits: { reorganizations: 1 } }),
  'a payer who spends the money': variant({ limits: { transfers: 2 } }),
  'a payer who submits the payment, and a stranger': variant({
    prepares: true,
    second: 'stranger',
    payer: ['submits'],
  }),
  'a payer who cancels the payment': variant({ payer: ['cancels'] }),
  'a process that seems dead': variant({ expires: 'never', limits: { silences: 1 } }),
  'failing deliveries, refunds, one reorganization': variant({
    prepares: true,
    fails: true,
    expires: 'never',
    limits: { reorganizations: 1 },
  }),
  'a prepaid account': variant({ paysFrom: 'account', fails: true, limits: { silences: 1, transfers: 2 } }),
  'a prepaid account, prepared first': variant({
    paysFrom: 'account',
    prepares: true,
    fails: true,
    limits: { silences: 1, transfers: 2 },
  }),
} satisfies Readonly<Record<string, Variant>>;

export type VariantName = keyof typeof variants;
