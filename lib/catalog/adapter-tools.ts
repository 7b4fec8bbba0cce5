import * as uploads from './uploads';

/**
 * One tool of the local MCP adapter (SPEC 4.9). Pure data: the adapter, its manifest and the guides are made from it. What a
 * tool costs is what its operation costs on the account rail.
 */
export interface AdapterTool {
  readonly name: string;
  readonly title: string;
  /** Read by the assistant that decides whether to call it. */
  readonly description: string;
  /** USDC that a call takes from the account, decimal; null where it takes nothing. */
  readonly price: string | null;
  /** The operation that it calls; null where it calls none. */
  readonly operation: string | null;
  /** The hints of the protocol; the world outside is open to every tool that calls an operation. */
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
}

/** Changes nothing but, where it has a price, the balance. */
const reads = { readOnly: true, destructive: false, idempotent: true } as const;

/** In the order in which assistants are shown them. */
export const adapterTools: readonly AdapterTool[] = [
  {
    name: 'upload',
    title: 'Upload a file',
    description: `Put a file of up to 10 MB on a public, unguessable link that lives ${uploads.uploadLimits.retentionDays} days. Give either the absolute path of a file on this machine or its bytes in base64. Whoever has the link can read the file.`,
    price: uploads.create.price,
    operation: uploads.create.id,
    readOnly: false,
    destructive: false,
    idempotent: false,
  },
  {
    name: 'search_flights',
    title: 'Search flights',
    description:
      'Search live flight offers between two airports, cheapest first. Takes IATA codes; airports_search finds them.',
    price: '0.05',
    operation: 'flights.search',
    ...reads,
  },
  {
    name: 'airports_search',
    title: 'Search airports',
    description: 'Find airports and their IATA codes by code, city, airport name or country.',
    price: '0.001',
    operation: 'airports.search',
    ...reads,
  },
  {
    name: 'flight_offer_details',
    title: 'Flight offer details',
    description:
      'Baggage, fare conditions and segments of one flight offer, by the id that search_flights gave. Offers live only some minutes.',
    price: '0.01',
    operation: 'flights.offer',
    ...reads,
  },
  {
    name: 'renew_upload',
    title: 'Renew an upload',
    description: `Keep the public link of an upload ${uploads.uploadLimits.retentionDays} days longer, up to ${uploads.uploadLimits.retentionDaysMax} days from the original upload.`,
    price: uploads.renew.price,
    operation: uploads.renew.id,
    readOnly: false,
    destructive: false,
    idempotent: false,
  },
  {
    name: 'delete_upload',
    title: 'Delete an upload',
    description: 'Delete an upload of this account and end its public link at once, for good.',
    price: null,
    operation: 'account.deleteUpload',
    readOnly: false,
    destructive: true,
    idempotent: true,
  },
  {
    name: 'recent_uploads',
    title: 'Recent uploads',
    description: 'The uploads of this account that are neither deleted nor expired, newest first.',
    price: null,
    operation: 'account.uploads',
    ...reads,
  },
  {
    name: 'balance',
    title: 'Account balance',
    description: 'How much USDC the account holds.',
    price: null,
    operation: 'account.get',
    ...reads,
  },
  {
    name: 'topup_link',
    title: 'Top-up link',
    description:
      'The page on which a person pays USDC into the account. Give it to the person; it cannot spend anything.',
    price: null,
    operation: 'account.create',
    ...reads,
  },
  {
    name: 'setup_link',
    title: 'Start over with a new account',
    description:
      'Put the account of this machine aside and open a new, empty one; gives its deposit page. What is left in the old account is no longer spent. Only when the person asks for it: to add money to the account there is, use topup_link.',
    price: null,
    operation: 'account.create',
    readOnly: false,
    destructive: true,
    idempotent: false,
  },
  {
    name: 'flight_booking_links',
    title: 'Flight booking links',
    description:
      'Links that open a new search on two flight-search sites. Made on this machine, without any network call; they reserve nothing and guarantee no fare.',
    price: null,
    operation: null,
    ...reads,
  },
];
