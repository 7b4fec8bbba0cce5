import { usdc } from '@/app/_wallets/words';

/** The amount that a person typed, for server and browser. */

/** With a decimal point; in some countries people type a comma. */
export function amountOf(typed: string): string {
  return typed.trim().replace(',', '.');
}

/** What is wrong with an amount, as a message at its field; null when nothing is. The service has the same rules. */
export function amountProblem(
  amount: string,
  { min, max }: { readonly min: string; readonly max: string },
): string | null {
  if (amount === '') return 'Enter an amount';
  if (!/^\d+(?:\.\d+)?$/.test(amount)) return 'The amount must be a number, like 12.50';
  if (!/^\d+(?:\.\d{1,6})?$/.test(amount)) return 'The amount can have at most six decimal places';
  if (Number(amount) < Number(min)) return `The amount must be ${min} USDC or more`;
  if (Number(amount) > Number(max)) return `The amount must be ${max} USDC or less`;
  return null;
}

const decimals = 6;

/** Atomic USDC of a decimal amount with at most six decimal places. */
function atomicOf(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

export function isLess(one: string, other: string): boolean {
  return atomicOf(one) < atomicOf(other);
}

/** The sum of two decimal amounts of USDC. */
export function sumOf(one: string, other: string): string {
  return usdc(String(atomicOf(one) + atomicOf(other)));
}

/** How much a larger decimal amount of USDC is above a smaller one. */
export function differenceOf(larger: string, smaller: string): string {
  return usdc(String(atomicOf(larger) - atomicOf(smaller)));
}
