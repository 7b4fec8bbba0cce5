/** What documents and challenges say of the service as a whole. */
export const about = {
  /** Printable ASCII, at most 32 characters: catalogs refuse others. */
  name: 'Tuppence',
  /** The version of the interface; a test holds package.json to it. */
  version: '0.0.16',
  summary: 'Small HTTP services that AI agents buy by the call, paid in USDC over x402 or MPP.',
  description:
    'Every paid call has a fixed price. Called without a payment it answers 402 with a challenge; sign it and repeat the request. No API key, no account. A call that was paid is delivered or openly accounted for: 402 always means that nothing was charged, and sending the identical request again never charges twice.',
  /** How to work with it, for an agent that reads nothing else. */
  guidance: [
    'Paths without /mpp/ are paid over x402 (version 2, scheme exact): a 402 carries PAYMENT-REQUIRED, the signed payment goes into PAYMENT-SIGNATURE.',
    'Paths under /v1/mpp/ are paid over MPP (method evm, intent charge): a 402 carries WWW-Authenticate: Payment, the credential goes into Authorization.',
    'Invalid input answers 400 and costs nothing.',
    'Send an Idempotency-Key and keep the request: when an answer is lost, send the identical request again instead of paying again.',
    'Every error body says what happened to the money (payment) and what to do next (retry).',
    'GET /v1/paid-calls/{id}, with the Paid-Call-Id of an answer, tells where a paid call stands.',
  ].join(' '),
} as const;
