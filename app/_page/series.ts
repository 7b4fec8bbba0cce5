/** Names in a row, without a comma before the last one, as in all texts of ours: `Base, Polygon and Solana`. */
export const allOf = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** `Base, Polygon or Solana` */
export const oneOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });
