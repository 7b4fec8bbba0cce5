import { z } from 'zod';
import type { ErrorCode } from '@/lib/catalog/errors/codes';
import { parseUrl } from '@/lib/platform/addresses/parse-url';
import type { Operation } from './operation';

/** Limits that keep a call within its fixed price. */
export const researchLimits = {
  queryLengthMax: 1_000,
  similarResultsMax: 25,
  contentsUrlsMax: 20,
  crawlResultsMax: 20,
  serpResultsMax: 100,
  charactersMax: 10_000,
  domainsMax: 100,
  pdfPagesMax: 5,
} as const;

/** How many pages of a PDF our own reader reads. A provider charges for each, our reader does not. */
export const readerPdfPagesMax = 100;

/** The errors of our own page reader. It reads the page before the charge, so none of them costs anything. */
export const readerErrors: readonly ErrorCode[] = [
  'page_not_public',
  'page_unsupported',
  'page_without_text',
  'pdf_without_text',
  'pdf_unreadable',
  'page_too_large',
  'page_unreachable',
  'page_unreadable',
  'uncharged_work_limit',
  'reader_busy',
];

/** Over x402 an unknown outcome is 409; over MPP it is the rail's own 503. */
export const researchCodes: Operation['codes'] = {
  settlementUnknown: { x402: 'payment_requires_reconciliation' },
  deliveryPending: { x402: 'delivery_requires_reconciliation' },
};

export const query = z
  .string()
  .trim()
  .min(1)
  .max(researchLimits.queryLengthMax)
  .meta({ examples: ['sodium-ion storage pilots'] });
/** `example.com`, optionally with a leading `*.` or a path. */
export const domains = listOf(
  /^(\*\.)?[^\s/?#@:*.]+(\.[^\s/?#@:*.]+)+(\/[^\s?#]*)?$/,
  'must be a domain such as example.com or *.example.com',
);
export const hostnames = listOf(
  /^[^\s/?#@:*][^\s/?#@:*.]*\.[^\s/?#@:*]+$/,
  'must be a host name such as example.com',
  (text) => publicName.test(parseUrl(`http://${text}/`)?.hostname ?? ''),
);

/** Labels of letters, digits and hyphens, and a top-level domain of letters, in ASCII. */
const publicName = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

function listOf(pattern: RegExp, error: string, isValid: (text: string) => boolean = () => true) {
  return z
    .array(z.string().max(253).regex(pattern, { error }).refine(isValid, { error }))
    .min(1)
    .max(researchLimits.domainsMax)
    .meta({ examples: [['example.com']] });
}

/** ISO 3166-1 alpha-2. */
export const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/, { error: 'must be a two-letter country code such as PT' })
  .meta({ description: 'Country, ISO 3166-1 alpha-2.', examples: ['PT'] });
/** Google's time filter: past hour, day, week, month or year, or between two dates. */
export const tbs = z
  .string()
  .regex(/^(qdr:[hdwmy]|sbd:1|cdr:1,cd_min:\d{1,2}\/\d{1,2}\/\d{4},cd_max:\d{1,2}\/\d{1,2}\/\d{4})$/, {
    error: 'must be qdr:h, qdr:d, qdr:w, qdr:m, qdr:y, sbd:1 or cdr:1,cd_min:M/D/YYYY,cd_max:M/D/YYYY',
  })
  .meta({
    description: 'Time filter, such as qdr:w (past week) or sbd:1 (by date).',
    examples: ['qdr:w'],
  });
