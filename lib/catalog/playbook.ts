/** Jobs and the calls they take. Documents leave out a job if one of its calls is not available. */
export interface Job {
  readonly job: string;
  /** IDs of the operations, in order. */
  readonly uses: readonly string[];
  readonly steps: string;
}

export const playbook: readonly Job[] = [
  {
    job: 'Share a file',
    uses: ['uploads.create'],
    steps:
      'Reserve a slot with the size and SHA-256 of the bytes, PUT the exact bytes to uploadUrl with uploadHeaders, then share publicUrl.',
  },
  {
    job: 'Renew or delete a file',
    uses: ['uploads.status', 'uploads.renew', 'uploads.delete'],
    steps: 'Pay with the wallet that paid for the upload; others get 403.',
  },
  {
    job: 'Make a PDF of a report or an invoice',
    uses: ['render.pdf'],
    steps: 'Send one self-contained HTML document with inline CSS and data: images, then share publicUrl.',
  },
  {
    job: 'Ask people questions',
    uses: ['forms.create', 'forms.createLinks', 'forms.responses', 'forms.summary', 'forms.deleteResponse'],
    steps:
      'Create a form with an Idempotency-Key (only choices have options), send people its url, and read their responses at responsesUrl with the readToken; ?wait=60 waits.',
  },
  {
    job: 'Find pages about a topic',
    uses: ['neural.search'],
    steps:
      'Describe the topic in natural language. Add contents to read the pages in the same call. To start from a page instead, use find-similar.',
  },
  {
    job: 'Find pages similar to a page',
    uses: ['neural.findSimilar'],
    steps: 'Send its url.',
  },
  {
    job: 'Get an answer with its sources',
    uses: ['neural.answer'],
    steps: 'Send the question; citations are the source pages.',
  },
  {
    job: 'Read pages by URL',
    uses: ['neural.contents'],
    steps:
      'Send up to 20 urls; this is the cheapest way per page. For a page that needs JavaScript, use crawl/scrape.',
  },
  {
    job: 'Read one page with JavaScript',
    uses: ['crawl.scrape'],
    steps:
      'Send its url. Use waitFor (ms, at most half of timeout) to give scripts time, and formats to get links or raw HTML.',
  },
  {
    job: 'Search the web and read every result in one call',
    uses: ['crawl.search'],
    steps: 'Send a query with scrapeOptions.',
  },
  {
    job: 'Get search engine results',
    uses: ['serp.search'],
    steps:
      'Send q, with gl and hl for country and language. serp/news, serp/images and serp/shopping take the same fields.',
  },
  {
    job: 'Search the news',
    uses: ['serp.news'],
    steps: 'Send q, with tbs qdr:d or qdr:w for the past day or week.',
  },
  {
    job: 'Find images',
    uses: ['serp.images'],
    steps: 'Send q; imageUrl is the image, link is its page.',
  },
  { job: 'Compare product prices', uses: ['serp.shopping'], steps: 'Send q, with gl for the country.' },
  {
    job: 'Find an airport code',
    uses: ['airports.search'],
    steps: 'Send a city, airport name or country, and use iataCode of the first match.',
  },
  {
    job: 'Find a flight',
    uses: ['flights.search', 'flights.offer'],
    steps:
      'Search with IATA codes and dates, then get the details of an offer by its id within about 30 minutes. Nothing is booked.',
  },
  {
    job: 'Give a person links to book a flight',
    uses: ['tools.flight-booking-links'],
    steps: 'Send the same route and dates, then share the links.',
  },
  {
    job: 'Check a call and its price before paying',
    uses: ['tools.check'],
    steps: 'Send the operation and its body; nothing is charged or stored.',
  },
  {
    job: "Check a payment's outcome",
    uses: ['paid-calls.get'],
    steps:
      'First send the identical request again; it is never charged twice. Or use the Paid-Call-Id of a response.',
  },
  {
    job: 'List what the wallet has bought and spent',
    uses: ['wallet.calls', 'wallet.uploads', 'wallet.forms'],
    steps:
      'Sign in with the wallet: sign the message in the 402 and send the request again with SIGN-IN-WITH-X. Each signature is for one request.',
  },
  {
    job: 'Prove what was bought',
    uses: ['paid-calls.receipt'],
    steps: 'Keep the signed receipt with the request and the answer, whose hashes it has.',
  },
];
