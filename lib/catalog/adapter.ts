/** What the manifest and the guides say about the MCP adapter; its tools are in `adapter-tools`. */
export const adapter = {
  /** The npm package and its command. */
  packageName: 'tuppence-mcp',
  title: 'Tuppence',
  /** At most 100 characters: the registry of MCP servers refuses longer ones. */
  description: 'File hosting, flights and airports, paid per call from a prepaid USDC account.',
  /** How tools are paid for; assistants get this when they connect. */
  instructions: [
    'Paid tools take their price in USDC from a prepaid account, which this machine opens by itself when it is first needed.',
    'If the balance is too low, nothing is charged: give the person the link from topup_link.',
    'Every error says what happened to the money. If a response is lost, call the same tool with the same arguments again: a retry is never charged twice.',
    'Use setup_link only if the person asks for a new account.',
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
    description: 'The most USDC that the adapter spends in one day (UTC). 0 allows no paid calls.',
    format: 'number',
    isRequired: false,
    default: '5',
  },
  {
    name: 'TUPPENCE_UPLOAD_FOLDERS',
    description:
      'Folders whose files may be uploaded by path, separated as in PATH. The default is every file outside hidden folders.',
    format: 'string',
    isRequired: false,
  },
] as const;

/** The errors of the adapter itself, listed in docs/mcp.md. All other errors come from the service. */
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
