import { about } from './about';
import { strangersWords } from './tool-words';

/** What the manifest and the guides say about the MCP adapter; its tools are in `adapter-tools`. */
export const adapter = {
  /** The name of its program and of the package that the service gives out. No registry has it. */
  packageName: 'tuppence-mcp',
  title: 'Tuppence',
  /** At most 100 characters: the registry of MCP servers refuses longer ones. */
  description:
    'File hosting, PDFs, forms, web search, flights and airports, paid from a prepaid USDC account.',
  /** How tools are paid for; assistants get this when they connect. */
  instructions: [
    'Paid tools take their price in USDC from a prepaid account, which this machine opens by itself when it is first needed.',
    'If the balance is too low, nothing is charged: give the person the link from topup_link.',
    'Every error says what happened to the money. If a response is lost, call the same tool with the same arguments again: a retry is never charged twice.',
    'Use setup_link only if the person asks for a new account.',
    strangersWords,
  ].join(' '),
} as const;

const pathStem = `/adapter/${adapter.packageName}-${about.version}`;

/** What the service gives out. A path has the version, and its bytes never change: npm asks for each path once. */
export const adapterFiles = {
  /** It needs no other package. */
  package: {
    path: `${pathStem}.tgz`,
    mediaType: 'application/gzip',
    title: 'MCP adapter as an npm package, for npx',
  },
  program: {
    path: `${pathStem}.cjs`,
    mediaType: 'text/javascript; charset=utf-8',
    title: 'MCP adapter as one file, for Node 20.19 or later',
  },
  client: {
    path: `/adapter/tuppence-${about.version}.cjs`,
    mediaType: 'text/javascript; charset=utf-8',
    title: 'Command-line client as one file, for Node 20.19 or later',
  },
} as const;

export type AdapterFileName = keyof typeof adapterFiles;

export const adapterFileNames = Object.keys(adapterFiles) as readonly AdapterFileName[];

/** The SHA-256 of these files, as `sha256sum --check` reads them. */
export const adapterChecksumsPath = `${pathStem}.sha256`;

/**
 * What npx is given to run the adapter. npm 12 refuses packages that come from no registry unless it is told otherwise; earlier
 * versions ignore that option. Without `--prefer-offline`, npm asks the service at every start, and for a minute if it is down.
 */
export function npxArguments(publicUrl: string): string[] {
  return ['-y', '--prefer-offline', '--allow-remote=root', publicUrl + adapterFiles.package.path];
}

/** The environment variables that the adapter and the command-line client read. */
export const localSettings = [
  {
    name: 'TUPPENCE_API_URL',
    description:
      'The origin of the API, for example https://api.example.com. The default is the service that the program came from.',
    format: 'string',
    isRequired: false,
  },
  {
    name: 'MUNITION_API_URL',
    description: 'Another name of TUPPENCE_API_URL.',
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

/** The values of `TUPPENCE_TOOLS`. */
export const toolChoices = ['basic', 'all'] as const;

/** The environment variables that the adapter reads. */
export const adapterSettings = [
  ...localSettings,
  {
    name: 'TUPPENCE_TOOLS',
    description:
      'Which tools the adapter has: basic for files, flights and the account, or all to add PDFs, forms, search and reading pages.',
    format: 'string',
    isRequired: false,
    default: 'basic',
    choices: [...toolChoices],
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
