/** USDC has six decimals on every network that we offer. The only place that multiplies by a million. */
export const usdcDecimals = 6;

/** "0.005" -> 5000n atomic USDC. Throws on anything but a plain decimal with at most six places. */
export function toAtomic(price: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(price);
  if (!match) throw new Error('a price is a decimal number with at most six places');
  const [, whole = '', fraction = ''] = match;
  return BigInt(whole + fraction.padEnd(usdcDecimals, '0'));
}

/** 5000n atomic USDC -> "0.005". */
export function toPrice(atomic: bigint): string {
  const digits = atomic.toString().padStart(usdcDecimals + 1, '0');
  const fraction = digits.slice(-usdcDecimals).replace(/0+$/, '');
  return fraction ? `${digits.slice(0, -usdcDecimals)}.${fraction}` : digits.slice(0, -usdcDecimals);
}
