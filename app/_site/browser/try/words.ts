/** What a person reads of a challenge. */

const decimals = 6;

/** Atomic units of USDC as a decimal: `5000` is `0.005`. */
export function usdc(atomic: string): string {
  const digits = atomic.padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  const part = digits.slice(-decimals).replace(/0+$/, '');
  return part === '' ? whole : `${whole}.${part}`;
}

/** `300` seconds are `5 minutes`. */
export function timeSpan(seconds: number): string {
  const [count, unit] = seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
