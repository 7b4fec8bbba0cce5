/** For whom work is done before it is paid for: decides who goes first, and who takes turns with whom. */
export interface Requester {
  /** Where the request comes from. */
  readonly address: string;
  /** The wallet or account whose credential the request carries; null of a free call. */
  readonly payer: string | null;
  /** `paying`: the payment has been found good. `signed`: there is one, which proves nothing yet. */
  readonly priority: 'free' | 'signed' | 'paying';
  /** Finds out whether a signed payment is good. Asked only when the request has to wait. */
  readonly isPaying?: () => Promise<boolean>;
}

/** Lower goes first. */
export const rankOf: Readonly<Record<Requester['priority'], number>> = { paying: 0, signed: 1, free: 2 };
