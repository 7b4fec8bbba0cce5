import { type create, uploadLimits } from '@/lib/catalog/uploads';
import { db } from '@/lib/db/client';
import { ApiError, type Issue } from '@/lib/http/api-error';
import { newId, randomToken } from '@/lib/ids';
import type { Service } from '@/lib/service';
import { daysAfter } from './lifetime';
import { slotOf } from './slot';
import { slugOf } from './slug';

/** Reserves a slot for one announced file. */
export const createUpload: Service<typeof create> = {
  async admit(input) {
    const issues: Issue[] = [];
    if (Buffer.from(input.sha256, 'hex').toString('base64') !== input.sha256Base64) {
      issues.push({ path: 'sha256Base64', rule: 'must be the base64 form of sha256' });
    }
    input.tags.forEach((tag, index) => {
      // PostgreSQL stores no NUL and no half of a surrogate pair: found after payment, it could never be delivered.
      if (/\0|\p{Surrogate}/u.test(tag)) {
        issues.push({ path: `tags.${index}`, rule: 'must be well-formed text without NUL' });
      }
    });
    if (issues.length > 0) throw new ApiError('invalid_input', { reason: 'invalid_input', issues });
  },

  async deliver(input, { payer, paidCallId, now }) {
    const uploadUrlExpiresAt = endOfSecond(now.getTime() + uploadLimits.uploadUrlMinutes * 60_000);
    // One statement, because the paid path counts its round trips. The update changes nothing: unlike DO NOTHING, it
    // returns the row also to whoever comes second, be it a repetition after a crash or a parallel one.
    const [upload] = await db().$queryRaw<StoredSlot[]>`
      INSERT INTO upload (id, paid_call_id, owner, mime, size_bytes, sha256, slug, link_token, tags, created_at,
        upload_url_expires_at, expires_at)
      VALUES (${newId('up')}, ${paidCallId}, ${payer}, ${input.mime}, ${input.size}, ${input.sha256},
        ${slugOf(input.filename, input.mime)}, ${randomToken()}, ${input.tags}::text[], ${now}, ${uploadUrlExpiresAt},
        ${daysAfter(now, uploadLimits.retentionDays)})
      ON CONFLICT (paid_call_id) DO UPDATE SET paid_call_id = EXCLUDED.paid_call_id
      RETURNING id, mime, size_bytes AS "sizeBytes", sha256, slug, link_token AS "linkToken", tags,
        expires_at AS "expiresAt", upload_url_expires_at AS "uploadUrlExpiresAt"`;
    if (!upload) throw new Error('the insertion of an upload returned no row');
    return slotOf(upload);
  },
};

type StoredSlot = Parameters<typeof slotOf>[0];

/** The upload address counts whole seconds; the row says the same moment, so that both promise one thing. */
function endOfSecond(timeMs: number): Date {
  return new Date(Math.ceil(timeMs / 1000) * 1000);
}
