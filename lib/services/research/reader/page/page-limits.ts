/** How much of a page one response may contain. */
export const pageLimits = {
  /** For its text, and for all of its links together. */
  charactersMax: 1_000_000,
  linksMax: 2_000,
  fieldsMax: 2_000,
  /** For an address, and for a line of metadata. */
  lineLengthMax: 4_096,
} as const;
