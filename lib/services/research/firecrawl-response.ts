import { z } from 'zod';
import type { JsonObject } from '@/lib/platform/upstream/call-provider';

/** Facts about our account in a response and in each of its pages. */
const accountFields = ['creditsUsed', 'concurrencyLimited', 'concurrencyQueueDurationMs'];
/** Firecrawl's advice to the owner of the account. */
export const accountWords = /\b(plans?|concurren\w*|upgrad\w*|credits?)\b/i;

/** The first bytes of a PDF in base64. Firecrawl puts a PDF that it did not read where the Markdown of a page belongs. */
const base64Pdf = /^JVBERi/;

/** What callers are told instead: that this page could not be read. Our own reader says the same. */
const notRead = 'not_read';

/**
 * Removes what concerns only us from a response: what the call costs, and what our plan allows. Also removes the bytes of PDFs
 * that were not read.
 */
export function withoutAccountFacts(json: JsonObject): JsonObject {
  const text = JSON.stringify(json);
  return z.looseObject({}).parse(JSON.parse(text, (name, value: unknown) => cleaned(name, value)));
}

function cleaned(name: string, value: unknown): unknown {
  if (accountFields.includes(name)) return undefined;
  if (typeof value === 'string') {
    if (name === 'warning' && accountWords.test(value)) return undefined;
    if (name === 'error' && accountWords.test(value)) return notRead;
    return value;
  }
  return isUnreadPdf(value) ? withoutPdf(value) : value;
}

function isUnreadPdf(value: unknown): value is JsonObject {
  const isPage = typeof value === 'object' && value !== null && 'markdown' in value;
  return isPage && typeof value.markdown === 'string' && base64Pdf.test(value.markdown);
}

function withoutPdf({ markdown, metadata, ...page }: JsonObject): JsonObject {
  return { ...page, metadata: { ...(typeof metadata === 'object' ? metadata : {}), error: notRead } };
}
