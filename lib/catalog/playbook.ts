/** Jobs that take more than one call, and how they go. Documents leave out a job when one of its calls is not sold. */
export interface Job {
  readonly job: string;
  /** The operations that it takes, by id, in their order. */
  readonly uses: readonly string[];
  readonly steps: string;
}

export const playbook: readonly Job[] = [
  {
    job: 'Give somebody a file',
    uses: ['uploads.create'],
    steps:
      'Reserve a slot with the size and SHA-256 of the bytes, PUT the exact bytes to uploadUrl with uploadHeaders, then pass on publicUrl.',
  },
  {
    job: 'Keep a file longer, or take it back',
    uses: ['uploads.renew', 'uploads.delete'],
    steps: 'Pay with the wallet that paid for the upload; no other is let in.',
  },
  {
    job: 'Hand over a report or an invoice as PDF',
    uses: ['render.pdf'],
    steps: 'Send one self-contained HTML document, with inline CSS and data: images; pass on publicUrl.',
  },
  {
    job: 'Ask people something',
    uses: ['forms.create', 'forms.responses'],
    steps:
      'Open a form with an Idempotency-Key, send people its url, read their answers at responsesUrl with the readToken; with ?wait=60 the next answer comes when it is given.',
  },
  {
    job: 'Find pages about a subject',
    uses: ['neural.search'],
    steps:
      'Describe in natural language what the pages are about; ask for contents to read them in the same call. To start from a page instead of words, use find-similar.',
  },
  {
    job: 'Find pages like a given one',
    uses: ['neural.findSimilar'],
    steps: 'Send its url.',
  },
  {
    job: 'Get an answer with its sources',
    uses: ['neural.answer'],
    steps: 'Send the question; citations are the pages that the answer rests on.',
  },
  {
    job: 'Read pages whose addresses are known',
    uses: ['neural.contents'],
    steps: 'Send up to 20 urls, cheapest per page. For one page that needs JavaScript, use crawl/scrape.',
  },
  {
    job: 'Read one page as a browser shows it',
    uses: ['crawl.scrape'],
    steps: 'Send its url; waitFor gives its scripts time, formats asks for its links or raw HTML.',
  },
  {
    job: 'Search the web and read every result in one call',
    uses: ['crawl.search'],
    steps: 'Send a query with scrapeOptions.',
  },
  {
    job: 'Look something up as in a search engine',
    uses: ['serp.search'],
    steps:
      'Send q, with gl and hl for country and language. serp/news, serp/images and serp/shopping take the same.',
  },
  {
    job: 'Find out what is in the news',
    uses: ['serp.news'],
    steps: 'Send q, with tbs qdr:d or qdr:w for the past day or week.',
  },
  {
    job: 'Find images',
    uses: ['serp.images'],
    steps: 'Send q; imageUrl is the image, link the page it is on.',
  },
  { job: 'Compare prices of a product', uses: ['serp.shopping'], steps: 'Send q, with gl for the country.' },
  {
    job: 'Find the code of an airport',
    uses: ['airports.search'],
    steps: 'Send a city, name or country; take iataCode of the first match.',
  },
  {
    job: 'Find a flight',
    uses: ['flights.search', 'flights.offer'],
    steps:
      'Search with IATA codes and dates, then ask for the details of an offer by its id within some 30 minutes. Nothing is booked.',
  },
  {
    job: 'Hand a flight search to a person',
    uses: ['tools.flight-booking-links'],
    steps: 'Send the same route and dates; pass on the links.',
  },
  {
    job: 'Find out whether a call would succeed and what it costs',
    uses: ['tools.check'],
    steps: 'Send the operation and its body; nothing is charged or kept.',
  },
  {
    job: 'Find out what became of a payment',
    uses: ['paid-calls.get'],
    steps:
      'Send the identical request again first, it is never charged twice; or ask with the Paid-Call-Id of an answer.',
  },
];
