/** Groups of operations: each has a document, and directories list the service under `directory`. */
export const categories = {
  files: {
    description:
      'File hosting: public links for files of up to 10 MiB, which the payer can renew and delete.',
    /** A category from the MPP discovery draft; null if none fits. */
    directory: 'storage',
  },
  render: { description: 'HTML to PDF: render self-contained documents as A4.', directory: null },
  forms: {
    description: 'Web forms: created by agents, filled in by people, read with a secret token.',
    directory: null,
  },
  account: {
    description: 'Prepaid accounts: anonymous, used with a bearer token.',
    directory: null,
  },
  billing: { description: 'Deposits into prepaid accounts.', directory: null },
  proxy: {
    description:
      'Web search and page reading, through search, answer and scraping providers or our own reader.',
    directory: 'search',
  },
  flights: {
    description: 'Flights: live offers, offer details, links to external flight searches.',
    directory: 'travel',
  },
  airports: { description: 'Airports by code, city, name or country.', directory: 'travel' },
  wallet: { description: 'What a wallet has bought, for its owner. Free.', directory: null },
  service: { description: 'Prices, status of a paid call, dry run, liveness. Free.', directory: null },
} as const satisfies Record<string, { description: string; directory: string | null }>;

export type Category = keyof typeof categories;
