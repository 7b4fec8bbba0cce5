import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { isFailure, type StoredAnswer } from '@/lib/calls/paid-call';
import { dayMs } from '@/lib/platform/durations';

type Content = Pick<StoredAnswer, 'body' | 'headers' | 'receipt'>;

const failureBody = z.object({ error: z.object({ code: z.string(), reason: z.string().optional() }) });

/** Why a failure happened, as its caller was told: a code. Null for an answer that reports none. */
export function failureReason(answer: StoredAnswer): string | null {
  if (!isFailure(answer)) return null;
  const { code, reason } = failureBody.parse(JSON.parse(answer.body)).error;
  return reason ?? code;
}

/** No JSON text starts with this. */
const headersMark = '\0';
/** The name under which the receipt is kept among the headers. */
const receiptName = 'Paid-Call-Receipt';
const keptHeaders = z.record(z.string(), z.string());

/** The content of the `answer` column before encryption: the body, after a line with headers and receipt if there are any. */
export function keptAnswer({ body, headers, receipt }: Content): string {
  if (!headers && !receipt) return body;
  return `${headersMark}${JSON.stringify({ ...headers, [receiptName]: receipt })}\n${body}`;
}

/** The inverse of `keptAnswer`. */
export function readKeptAnswer(kept: string): Content {
  if (!kept.startsWith(headersMark)) return { body: kept };
  const end = kept.indexOf('\n');
  const head: unknown = JSON.parse(kept.slice(headersMark.length, end));
  const { [receiptName]: receipt, ...headers } = keptHeaders.parse(head);
  return { body: kept.slice(end + 1), headers, receipt };
}

/** Bytes. A shorter answer gains little, and to open a longer one would hold up other calls. */
const deflated = { from: 4 * 1024, to: 256 * 1024 } as const;
/** No kept answer starts with this. */
const deflatedMark = Buffer.of(1);
const deflate = promisify(deflateRaw);

/** What is encrypted of a kept answer. Encrypted text cannot be compressed any more, neither by the database nor in its log. */
export async function packAnswer(kept: string): Promise<Buffer> {
  const bytes = Buffer.from(kept);
  if (bytes.length < deflated.from || bytes.length > deflated.to) return bytes;
  return Buffer.concat([deflatedMark, await deflate(bytes, { level: constants.Z_BEST_SPEED })]);
}

/** The inverse of `packAnswer`. */
export function unpackAnswer(packed: Buffer): string {
  return (packed[0] === deflatedMark[0] ? inflateRawSync(packed.subarray(1)) : packed).toString();
}

/** Longer than anything that an answer gives access to: a form lives 30 days, and its responses 7 days more. */
export const answerLifeDays = 38;
const answerLifeMs = answerLifeDays * dayMs;

/** When an answer that is stored now may be erased. */
export function answerExpiry(now: Date): Date {
  return new Date(now.getTime() + answerLifeMs);
}
