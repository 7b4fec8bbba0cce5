/** USDC has six decimals. */
const decimals = 6;

/** Atomic units of a decimal amount; undefined where it is none. */
export function atomicOf(amount: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(amount) ?? [];
  if (whole === undefined) return undefined;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** A decimal amount without needless zeros: `0.05`. */
export function decimalOf(atomic: bigint): string {
  const digits = atomic.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return `${digits.slice(0, -decimals)}${fraction && `.${fraction}`}`;
}
