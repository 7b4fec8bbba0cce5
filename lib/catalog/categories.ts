/** What is bought by the call, what pays for it, and what is free. */
export const categoryGroups = {
  services: 'Services',
  accounts: 'Prepaid accounts',
  free: 'Free',
} as const;

/** Groups of operations: each has a document, and directories list the service under `directory`. */
export const categories = {
  files: {
    /** Its name for people, in headings and as the tag of its operations. */
    title: 'File uploads',
    description: 'Public links for files of up to 10 MiB, which the payer can renew and delete.',
    /** A category from the MPP discovery draft; null if none fits. */
    directory: 'storage',
    group: 'services',
  },
  render: {
    title: 'PDF rendering',
    description: 'PDFs with a public link, made from self-contained HTML documents as A4.',
    directory: null,
    group: 'services',
  },
  forms: {
    title: 'Web forms',
    description: 'Forms that agents create, people fill in, and a secret token reads.',
    directory: null,
    group: 'services',
  },
  account: {
    title: 'Prepaid accounts',
    description: 'Anonymous accounts with a balance, used with a bearer token.',
    directory: null,
    group: 'accounts',
  },
  billing: {
    title: 'Deposits',
    description: 'Money for prepaid accounts, added by anyone.',
    directory: null,
    group: 'accounts',
  },
  proxy: {
    title: 'Web search',
    description:
      'Web search and page reading, through search, answer and scraping providers or our own reader.',
    directory: 'search',
    group: 'services',
  },
  flights: {
    title: 'Flights',
    description: 'Live flight offers, offer details, and links to external flight searches.',
    directory: 'travel',
    group: 'services',
  },
  airports: {
    title: 'Airports',
    description: 'Airports by code, city, name or country.',
    directory: 'travel',
    group: 'services',
  },
  wallet: {
    title: 'Wallet lists',
    description: 'What a wallet has bought, for its owner. Free.',
    directory: null,
    group: 'free',
  },
  service: {
    title: 'Service and payments',
    description: 'Prices, the status and receipt of a paid call, dry run, liveness. Free.',
    directory: null,
    group: 'free',
  },
} as const satisfies Record<
  string,
  { title: string; description: string; directory: string | null; group: keyof typeof categoryGroups }
>;

export type Category = keyof typeof categories;
