import { remote } from './remote';

/** A path for programs that is not an operation. */
interface OtherPath {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /**
   * What its requests count as: free calls, which are limited per address, documents, or requests of monitoring and
   * schedulers, which are never refused and wait no longer than those for documents.
   */
  readonly countsAs: 'free call' | 'document' | 'monitoring';
}

export const otherPaths = {
  readiness: { method: 'GET', path: '/health/ready', countsAs: 'monitoring' },
  cron: { method: 'GET', path: '/internal/cron', countsAs: 'monitoring' },
  metrics: { method: 'GET', path: '/metrics', countsAs: 'monitoring' },
  did_document: { method: 'GET', path: '/.well-known/did.json', countsAs: 'document' },
  status: { method: 'GET', path: '/status.json', countsAs: 'document' },
  key_set: { method: 'GET', path: '/.well-known/jwks.json', countsAs: 'document' },
  // The keys of the page reader.
  bot_keys: {
    method: 'GET',
    path: '/.well-known/http-message-signatures-directory',
    countsAs: 'document',
  },
  // Part of a payment scheme, whose clients send its requests. Reads the chain.
  channel_refund: { method: 'GET', path: '/v1/channels/refund', countsAs: 'free call' },
  // Only the body of a message says whether it pays, so its handler counts it.
  mcp: { method: 'POST', path: remote.path, countsAs: 'document' },
} as const satisfies Readonly<Record<string, OtherPath>>;

export type OtherName = keyof typeof otherPaths;
