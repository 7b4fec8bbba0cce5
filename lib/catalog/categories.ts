/** Groups of operations: each has a document, and directories list the service under `directory`. */
export const categories = {
  files: {
    /** Its name for people, in headings and as the tag of its operations. */
    title: 'File uploads',
    description: 'Public links for files of up to 10 MiB, which the payer can renew and delete.',
    /** A category from the MPP discovery draft; null if none fits. */
    directory: 'storage',
  },
  render: {
    title: 'PDF rendering',
    description: 'PDFs with a public link, made from self-contained HTML documents as A4.',
    directory: null,
  },
  forms: {
    title: 'Web forms',
    description: 'Forms that agents create, people fill in, and a secret token reads.',
    directory: null,
  },
  account: {
    title: 'Prepaid accounts',
    description: 'Anonymous accounts with a balance, used with a bearer token.',
    directory: null,
  },
  billing: {
    title: 'Deposits',
    description: 'Money for prepaid accounts, added by anyone.',
    directory: null,
  },
  proxy: {
    title: 'Web search',
    description:
      'Web search and page reading, through search, answer and scraping providers or our own reader.',
    directory: 'search',
  },
  flights: {
    title: 'Flights',
    description: 'Live flight offers, offer details, and links to external flight searches.',
    directory: 'travel',
  },
  airports: {
    title: 'Airports',
    description: 'Airports by code, city, name or country.',
    directory: 'travel',
  },
  wallet: {
    title: 'Wallet lists',
    description: 'What a wallet has bought, for its owner. Free.',
    directory: null,
  },
  service: {
    title: 'Service and payments',
    description: 'Prices, the status and receipt of a paid call, dry run, liveness. Free.',
    directory: null,
  },
} as const satisfies Record<string, { title: string; description: string; directory: string | null }>;

export type Category = keyof typeof categories;
