/** The page about refunds. */
export const refundsPage = '/docs/refunds';

/** What documents and challenges say about the service as a whole. */
export const about = {
  /** Printable ASCII, at most 32 characters: catalogs reject other names. */
  name: 'Tuppence',
  /** The version of the API; a test checks that package.json has the same. */
  version: '0.0.16',
  summary:
    'File hosting, PDFs, web forms, web search, flights and airports for AI agents. Pay per call in USDC over x402 or MPP.',
  description:
    'Every call has a fixed price. Without a payment it returns 402 with a challenge; sign it and repeat the request. There is no API key. Agents without a wallet can pay from a prepaid account. Every paid call is either delivered or accounted for: a 402 always means that nothing was charged, and sending the identical request again never charges twice.',
  /** How to use the service, for an agent that reads nothing else. */
  guidance: [
    'Paths without /mpp/ are paid over x402 (version 2, scheme exact): a 402 carries PAYMENT-REQUIRED; send the signed payment in PAYMENT-SIGNATURE.',
    'Paths under /v1/mpp/ are paid over MPP (draft-2026-05, method evm, intent charge): a 402 carries WWW-Authenticate: Payment; send the credential in Authorization.',
    'Invalid input returns 400 and costs nothing.',
    'Send an Idempotency-Key: one key for each thing you buy, the same key on every retry. If a response is lost, send the identical request again.',
    'Every error body says what happened to the money (payment) and what to do next (retry).',
  ].join(' '),
} as const;
