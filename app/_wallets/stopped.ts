/** A problem that ends a request to a wallet, with a message for the person. */
export class Stopped extends Error {
  /** What happened to the money; null in the usual case, where nothing did. */
  readonly title: string | null;

  constructor(message: string, title: string | null = null) {
    super(message);
    this.title = title;
  }
}

/** The person declined in the wallet. */
class Declined extends Stopped {
  constructor() {
    super('It was declined in the wallet.');
  }
}

/** Translates a wallet's error. Wallets report that somebody declined with a code (EIP-1193) or only in the text. */
export function walletStopped(error: unknown): Stopped {
  if (error instanceof Stopped) return error;
  return isDeclined(error)
    ? new Declined()
    : new Stopped('The wallet did not sign. Unlock it and try again.');
}

export function isDeclined(error: unknown): boolean {
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    message?: unknown;
  };
  return code === 4001 || /reject|declin|denied|cancel/i.test(String(message));
}

/**
 * What a page says about an error during a payment.
 * @param isOpen whether a signed payment has an unknown outcome
 */
export function problemOf(error: unknown, isOpen: boolean): Stopped {
  if (error instanceof Stopped) return error;
  return isOpen
    ? new Stopped(
        'Reload this page. The payment that you signed is sent again, and you will not pay twice.',
        'The outcome of the payment is not known yet',
      )
    : new Stopped('Nothing was paid. Reload this page.', 'Something went wrong');
}
