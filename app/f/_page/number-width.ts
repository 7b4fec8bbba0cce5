import type { Question } from '@/lib/catalog/form-questions';

/** Widths that the style has, in digits. */
const widths = [2, 3, 4, 5, 10, 20] as const;

/** Room for a fraction where the number need not be whole. */
const fractionDigits = 3;

/** A class for a field as wide as its numbers (GOV.UK, text input: fixed width inputs), or for ten digits if they have no limits. */
export function numberWidth({ min, max, integer }: Question): string {
  if (min === undefined || max === undefined) return 'digits-10';
  const digits = Math.max(...[min, max].map((bound) => String(bound).length));
  const needed = integer ? digits : digits + fractionDigits;
  return `digits-${widths.find((width) => width >= needed) ?? widths.at(-1)}`;
}
