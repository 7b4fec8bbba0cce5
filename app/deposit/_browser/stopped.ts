/** Why it goes no further, in words for the person in front of the page; most often nothing was paid. */
export class Stopped extends Error {
  readonly title: string;

  constructor(message: string, title = 'Nothing was paid') {
    super(message);
    this.title = title;
  }
}

/** What a wallet said, in our words. Wallets have codes (EIP-1193) and texts; both mean a refusal by their owner. */
export function walletStopped(error: unknown): Stopped {
  if (error instanceof Stopped) return error;
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    message?: unknown;
  };
  if (code === 4001 || /reject|declin|denied|cancel/i.test(String(message))) {
    return new Stopped('The payment was declined in the wallet.');
  }
  return new Stopped('The wallet did not sign the payment. Open it, unlock it, and try again.');
}
