/** The sentence that a case rests on. */
export interface Rule {
  /** A public document: `x402 version 2`, `MPP core draft-01`, `RFC 9110`. */
  readonly document: string;
  /** Where in it, as its own table of contents says. */
  readonly section: string;
  /** What it says, short enough to be read in a table. */
  readonly sentence: string;
  readonly url: string;
  /** As in RFC 2119. Only what a seller must do makes the whole check fail. */
  readonly strength: 'must' | 'should';
}

export type Finding =
  | { readonly result: 'pass' }
  /** @param detail what the seller did instead, with enough of it to repeat it by hand */
  | { readonly result: 'fail'; readonly detail: string }
  /** @param detail why the rule says nothing about this seller */
  | { readonly result: 'not applicable'; readonly detail: string };

/** One rule, and how to see whether a seller keeps it. */
export interface SellerCase<Seller> {
  /** Stable, so that results of two runs can be compared: `challenge.nonce-differs`. */
  readonly id: string;
  /** What a seller that passes does, in the present tense. */
  readonly title: string;
  readonly rule: Rule;
  /** @throws only for what is no finding about the seller, such as a chain that does not start */
  check(seller: Seller): Promise<Finding>;
}
