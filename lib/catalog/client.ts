import type { z } from 'zod';
import * as account from './account';
import { localSettings } from './adapter';
import { formResponses, upload as uploadTool } from './adapter-tools';
import * as airports from './airports';
import * as crawl from './crawl';
import * as flights from './flights';
import * as forms from './forms';
import * as free from './free';
import type { FreeOperation } from './free-operation';
import * as neural from './neural';
import type { Operation } from './operation';
import * as render from './render';
import * as serp from './serp';
import * as uploads from './uploads';

/** The command-line client for agents with a shell. Pure data: its help, its options and its guide are made from it. */
export const client = {
  /** The command, and the name of its file. */
  name: 'tuppence',
  description:
    'Share files, make PDFs, ask people with forms, search and read the web, and find flights, paid per call in USDC.',
} as const;

/** One of the calls that a command makes. */
export interface ClientCall {
  /** Its name for `--kind`. */
  readonly kind: string;
  readonly operation: Operation | FreeOperation;
  /** The free operation that does the same for an account, where there is one. */
  readonly onAccount?: FreeOperation;
  /** The fields that options and arguments set; those of the operation's body unless the client fills some in itself. */
  readonly input: z.ZodObject;
  /** The fields that the arguments, or a file, fill in order. The last one takes all that are left if it is a list. */
  readonly fields: readonly string[];
  /** Fields that are set unless an option sets one of them. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

export interface ClientCommand {
  readonly name:
    | 'upload'
    | 'renew'
    | 'delete'
    | 'pdf'
    | 'form'
    | 'responses'
    | 'search'
    | 'read'
    | 'airports'
    | 'flights'
    | 'balance'
    | 'call';
  /** The arguments in its usage line. */
  readonly args: string;
  readonly summary: string;
  /** What the argument `FILE` is: the file to upload, an HTML document, or the body in JSON. Without one: no file. */
  readonly file?: 'upload' | 'html' | 'body';
  /** The first one is used unless `--kind` names another. */
  readonly calls: readonly [ClientCall, ...ClientCall[]];
  readonly example: string;
}

/** A call whose options are the fields of its body. */
const call = (
  kind: string,
  operation: Operation,
  fields: readonly string[],
  defaults?: ClientCall['defaults'],
): ClientCall => ({ kind, operation, input: operation.body, fields, defaults });

/** A call whose arguments are its path parameters. */
const withParams = (operation: Operation | FreeOperation, onAccount?: FreeOperation): ClientCall => ({
  kind: operation.id,
  operation,
  onAccount,
  input: operation.params,
  fields: Object.keys(operation.params.shape),
});

/** The price of a call in USDC; null if it is free. */
export function priceOf({ operation }: ClientCall): string | null {
  return 'price' in operation ? operation.price : null;
}

export const clientCommands: readonly ClientCommand[] = [
  {
    name: 'upload',
    args: 'FILE',
    summary: 'Put a file on a public link. FILE may be - for standard input.',
    file: 'upload',
    calls: [
      {
        kind: 'file',
        operation: uploads.create,
        input: uploadTool.input.omit({ path: true, base64: true }),
        fields: [],
      },
    ],
    example: 'tuppence upload report.csv',
  },
  {
    name: 'renew',
    args: 'UPLOAD_ID',
    summary:
      'Extend the link of an upload by 7 days. Only the wallet or account that bought the upload can renew it.',
    calls: [withParams(uploads.renew)],
    example: 'tuppence renew up_3nKq0Zt7mVb2XsYd81PfLcRw',
  },
  {
    name: 'delete',
    args: 'UPLOAD_ID',
    summary:
      'Delete an upload and its link, at once and permanently. Only the wallet or account that bought it can delete it. Free for an account.',
    calls: [withParams(uploads.remove, account.deleteUpload)],
    example: 'tuppence delete up_3nKq0Zt7mVb2XsYd81PfLcRw',
  },
  {
    name: 'pdf',
    args: 'FILE',
    summary:
      'Make a PDF with a public link from a self-contained HTML file. FILE may be - for standard input.',
    file: 'html',
    calls: [call('pdf', render.pdf, ['html'])],
    example: 'tuppence pdf invoice.html --filename invoice-1.pdf',
  },
  {
    name: 'form',
    args: 'FILE',
    summary:
      'Put a form on the web. FILE has its title and questions in JSON; it may be - for standard input. Keep the read token that is printed: only it reads the answers.',
    file: 'body',
    calls: [call('form', forms.create, [])],
    example: 'tuppence form lunch.json',
  },
  {
    name: 'responses',
    args: 'FORM_ID',
    summary: 'Read the responses to a form, oldest first. Needs the read token that `form` printed.',
    calls: [{ kind: 'responses', operation: forms.responses, input: formResponses.input, fields: ['id'] }],
    example: 'tuppence responses fm_5tQm2WzR8sKx1LdTn4VbYcHj --read-token frt_…',
  },
  {
    name: 'search',
    args: 'QUERY',
    summary: 'Search the web: by meaning, for an answer with its sources, or as a search engine does.',
    calls: [
      call('meaning', neural.search, ['query']),
      call('answer', neural.answer, ['query']),
      call('web', serp.search, ['q']),
      call('news', serp.news, ['q']),
      call('images', serp.images, ['q']),
      call('shopping', serp.shopping, ['q']),
    ],
    example: 'tuppence search "sodium-ion storage pilots" --num-results 5',
  },
  {
    name: 'read',
    args: 'URL...',
    summary: 'Read web pages as text, or one page that needs JavaScript (--kind browser).',
    calls: [call('text', neural.contents, ['urls'], { text: true }), call('browser', crawl.scrape, ['url'])],
    example: 'tuppence read https://docs.example.com/start',
  },
  {
    name: 'airports',
    args: 'QUERY',
    summary: 'Find airports and their codes by code, city, airport name or country.',
    calls: [call('search', airports.search, ['query'])],
    example: 'tuppence airports lisbon',
  },
  {
    name: 'flights',
    args: 'ORIGIN DESTINATION DEPARTURE_DATE',
    summary: 'Search live flight offers, cheapest first. Nothing is booked.',
    calls: [call('search', flights.search, ['origin', 'destination', 'departureDate'])],
    example: 'tuppence flights LIS LON 2027-03-04 --non-stop --max-results 5',
  },
  {
    name: 'balance',
    args: '',
    summary: 'Show the balance of the prepaid account, and where a person can add money.',
    calls: [withParams(account.get)],
    example: 'tuppence balance',
  },
  {
    name: 'call',
    args: 'PAID_CALL_ID',
    summary: 'Show the outcome of a paid call: its state, its price and what to do next. Never its content.',
    calls: [withParams(free.paidCall)],
    example: 'tuppence call pc_4fQm9WzR2sKx7LdTn0VbYcHj',
  },
];

/** Options of every command. */
export const clientOptions = [
  { flag: 'json', value: null, description: 'Print the response, or the error, as one JSON document.' },
  {
    flag: 'body',
    value: 'JSON',
    description: 'Further fields of the call, as a JSON object. Options and arguments win.',
  },
  { flag: 'max-cost', value: 'USDC', description: 'Make the call only if it costs at most this much.' },
  {
    flag: 'idempotency-key',
    value: 'KEY',
    description:
      'Your own key for what you buy, the same on every run: 1 to 255 visible characters that nobody can guess. Needed only if the state file does not outlive the command.',
  },
  { flag: 'help', value: null, description: 'Print this help.' },
] as const;

/** The environment variables that the client reads: who pays, and those that it shares with the adapter. */
export const clientSettings = [
  {
    name: 'TUPPENCE_WALLET_KEY',
    description:
      'The private key of a wallet with USDC, 64 hex characters: each call is paid from it over x402.',
  },
  {
    name: 'TUPPENCE_ACCOUNT_TOKEN',
    description: 'The token of a prepaid account (tpt_…), instead of a wallet.',
  },
  {
    name: 'TUPPENCE_NETWORK',
    description:
      'The network on which the wallet pays, such as eip155:137. Default: the first EVM network that the service offers.',
  },
  ...localSettings,
] as const;

/** The errors of the client beside those of the adapter, listed in docs/client.md. */
export const clientErrorCodes = [
  'price_above_limit',
  'lifetime_above_limit',
  'payment_not_offered',
  'payment_refused',
  'settings_invalid',
] as const;

/** The exit codes, by what to do next. */
export const clientExitCodes = {
  done: { code: 0, meaning: 'done' },
  cannotRun: {
    code: 1,
    meaning: 'this machine cannot make the call: settings, state file, or an old client. Not charged',
  },
  wrongInput: { code: 2, meaning: 'the command, a file or a field is wrong. Not charged; fix it' },
  noMoney: {
    code: 3,
    meaning: 'too little money, or a limit was reached. Not charged; a person must act',
  },
  tryLater: { code: 4, meaning: 'the service cannot take the call now. Not charged; try later' },
  outcomeUnknown: {
    code: 5,
    meaning:
      'it is not known yet whether the call was charged. Run the same command again; it is not charged twice',
  },
  doNotRepeat: {
    code: 6,
    meaning: 'the call was charged and is over, or was refunded. Do not run the same command again',
  },
} as const;
