/** Amounts and payment problems in words for people. */

const decimals = 6;

/** Atomic units of USDC as a decimal: `5000` is `0.005`. */
export function usdc(atomic: string): string {
  const digits = atomic.padStart(decimals + 1, '0');
  const whole = digits.slice(0, -decimals);
  const part = digits.slice(-decimals).replace(/0+$/, '');
  return part === '' ? whole : `${whole}.${part}`;
}

/** A decimal amount of USDC as every page writes it: `2.50` is `2.5`, and `1000` is `1,000`. */
export function money(decimal: string): string {
  const [whole = '0', part = ''] = decimal.split('.');
  const rest = part.replace(/0+$/, '');
  return `${BigInt(whole).toLocaleString('en-US')}${rest === '' ? '' : `.${rest}`}`;
}

/** A message for a refused payment, specific where a person can do something about it. */
export function refusalMessage(reason: unknown): string {
  const text = String(reason);
  if (/funds|balance/i.test(text)) return 'The wallet does not have enough USDC on this network.';
  if (/valid_before_too_late|valid_after/.test(text))
    return 'The clock of this device is ahead. Set it, then try again.';
  if (/valid_before|expired|window|blockhash/i.test(text)) return 'Signing took too long. Try again.';
  if (/undeployed/.test(text)) {
    const advice = 'Send any transaction from it first, such as a transfer to yourself, and then pay here.';
    return `This wallet is a contract that is not deployed on this network yet. ${advice}`;
  }
  if (/signature/i.test(text))
    return 'The wallet’s signature is not valid for its account on this network. Try again, or use another wallet.';
  return `The payment was refused (${text}).`;
}
