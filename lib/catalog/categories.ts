/** The rooms of the interface: documents group operations by them, directories file the service under `directory`. */
export const categories = {
  files: {
    description: 'File hosting: a public link for a file of up to 10 MiB, renewed and deleted by its payer.',
    /** A word of the MPP discovery draft's vocabulary; null when none fits. */
    directory: 'storage',
  },
  render: { description: 'HTML to PDF: self-contained documents, printed on A4.', directory: null },
  forms: {
    description: 'Web forms: opened by agents, filled in by people, read with a secret token.',
    directory: null,
  },
  account: {
    description: 'Prepaid accounts: opened without a name, spent with a bearer token.',
    directory: null,
  },
  billing: { description: 'Deposits into prepaid accounts.', directory: null },
  service: { description: 'Prices, the state of a paid call, liveness. Free.', directory: null },
} as const satisfies Record<string, { description: string; directory: string | null }>;

export type Category = keyof typeof categories;
