/** What the manifest and the guides say of the local MCP adapter as a program; its tools are in `adapter-tools`. */
export const adapter = {
  /** The npm package, and the command that it brings. */
  packageName: 'tuppence-mcp',
  title: 'Tuppence',
  /** At most 100 characters: the registry of MCP servers refuses longer ones. */
  description: 'Files on public links, flights and airports, paid from a prepaid USDC account.',
  /** Which tools there are and what happens to money, told to the assistant when it connects. */
  instructions: [
    'Paid tools take their price in USDC from a prepaid account that this machine opens by itself on first need.',
    'When it holds too little, nothing is charged: give the person the link of topup_link.',
    'Every error says what happened to the money. When an answer was lost, call the same tool with the same arguments again: it is never charged twice for that.',
    'Use setup_link only when the person asks for a new account.',
  ].join(' '),
} as const;

/** The environment variables that the adapter reads. */
export const adapterSettings = [
  {
    name: 'MUNITION_API_URL',
    description: 'The origin of the API, for example https://api.example.com.',
    format: 'string',
    isRequired: false,
  },
  {
    name: 'TUPPENCE_SPENDING_CAP',
    description: 'The most USDC that the adapter spends in one day (UTC). 0 allows no paid call.',
    format: 'number',
    isRequired: false,
    default: '5',
  },
  {
    name: 'TUPPENCE_UPLOAD_FOLDERS',
    description:
      'Folders whose files may be uploaded by path, separated as in PATH. Without it, every file outside hidden folders.',
    format: 'string',
    isRequired: false,
  },
] as const;

/** The errors of the adapter itself, as docs/mcp.md explains them; every other one comes from the service. */
export const adapterErrorCodes = [
  'invalid_input',
  'file_refused',
  'spending_cap_reached',
  'service_unreachable',
  'outcome_unknown',
  'file_not_sent',
  'slot_lapsed',
  'answer_not_understood',
  'local_state_unusable',
  'internal_error',
] as const;
