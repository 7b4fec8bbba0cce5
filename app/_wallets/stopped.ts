/** A problem that ends a request to a wallet, with a message for the person. */
export class Stopped extends Error {
  /** What happened to the money; null in the usual case, where nothing did. */
  readonly title: string | null;

  constructor(message: string, title: string | null = null) {
    super(message);
    this.title = title;
  }
}

/** Translates the error of a wallet that was asked to sign. */
export function walletStopped(error: unknown, wallet: string): Stopped {
  if (error instanceof Stopped) return error;
  return isDeclined(error)
    ? new Stopped(`You declined the payment in ${wallet}.`)
    : new Stopped('The wallet did not sign. Unlock it and try again.');
}

/** The same for a wallet that was asked for its account, as a message. */
export function notConnected(error: unknown, wallet: string): string {
  return isDeclined(error)
    ? `You declined the connection in ${wallet}.`
    : `${wallet} did not connect. Unlock it and try again.`;
}

/** Wallets report that somebody declined with a code (EIP-1193) or only in the text. */
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
    : new Stopped('Something went wrong. Reload this page, and try again.');
}
