import { strangersWords } from './tool-words';

/** The revision without sessions: each request says its version and who sends it. */
export const statelessRevision = '2026-07-28';

/**
 * Earlier revisions, newest first, which begin with `initialize`: those that the official clients ask for. We keep no session
 * for them either.
 */
export const earlierRevisions = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

/** All revisions that the server speaks. */
export const revisions: readonly string[] = [statelessRevision, ...earlierRevisions];

/** What documents and the protocol say about the remote MCP server; its tools are made from the catalog. */
export const remote = {
  /** Where it is, under PUBLIC_URL. */
  path: '/mcp',
  title: 'Tuppence',
  /** At most 100 characters: the registry of MCP servers refuses longer ones. */
  description: 'File hosting, PDFs, web forms, web search, flights and airports, paid per call in USDC.',
  /** How tools are paid for; assistants get this when they connect. */
  instructions: [
    'Paid tools have their price in USDC in their description. A call without a payment asks for one and charges nothing.',
    'It is paid by a client with a wallet (x402 or MPP, in _meta), or from the prepaid account whose bearer token the person has set for this server.',
    'Give every paid call an idempotencyKey: one key for each thing you buy, the same key on every retry, a value that nobody can guess. If a result is lost, call the tool again with the same arguments and the same key: the stored result comes back, and nothing is charged again.',
    'Input that is not valid costs nothing. Every error says what happened to the money (payment) and what to do next (retry).',
    strangersWords,
  ].join(' '),
} as const;
