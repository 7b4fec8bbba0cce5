/** A problem that ends a payment, with a message for the person. In most cases nothing was paid. */
export class Stopped extends Error {
  readonly title: string;

  constructor(message: string, title = 'Nothing was paid') {
    super(message);
    this.title = title;
  }
}

/** Translates a wallet's error. Wallets report a declined payment with a code (EIP-1193) or only with a text. */
export function walletStopped(error: unknown): Stopped {
  if (error instanceof Stopped) return error;
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    message?: unknown;
  };
  if (code === 4001 || /reject|declin|denied|cancel/i.test(String(message))) {
    return new Stopped('The payment was declined in the wallet.');
  }
  return new Stopped('The wallet did not sign the payment. Unlock it and try again.');
}
