/** How much of a page one response may contain. */
export const pageLimits = {
  /** Of its text, and of its links together. */
  charactersMax: 1_000_000,
  linksMax: 2_000,
  /** Of an address, and of a line of metadata. */
  lineLengthMax: 4_096,
} as const;
