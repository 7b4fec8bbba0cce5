import { type Issue, invalidInput } from '@/lib/catalog/errors/api-error';
import { create, uploadLimits } from '@/lib/catalog/uploads';
import { batchedQuery, flushedLater } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { daysAfter } from '@/lib/platform/durations';
import { newOrderedId, randomToken } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { service } from '@/lib/services/service';
import { curlOfPut } from './curl';
import { objectKey, slotOf } from './slot';
import { namesOf } from './slug';

interface CreateDeps
  extends Pick<
    WithDatabase & WithStore & Platform,
    'batches' | 'store' | 'storeHealth' | 'settings' | 'clock'
  > {}

type StoredSlot = Parameters<typeof slotOf>[1];

/**
 * The update changes nothing, but unlike DO NOTHING it returns the existing row when the delivery is repeated. It is
 * flushed together with the answer, which is stored before it is sent.
 */
const insertUpload = batchedQuery<object, StoredSlot>(
  `WITH asked AS (
     SELECT * FROM json_to_recordset($1::json) AS asked(n integer, id text, paid_call_id text, owner text, mime text,
       size_bytes integer, sha256 text, slug text, filename text, link_token text, tags text[], created_at timestamptz,
       upload_url_expires_at timestamptz, expires_at timestamptz)
     WHERE ${flushedLater}
   ), inserted AS (
     INSERT INTO upload (id, paid_call_id, owner, mime, size_bytes, sha256, slug, filename, link_token, tags, created_at,
       upload_url_expires_at, expires_at)
     SELECT id, paid_call_id, owner, mime, size_bytes, sha256, slug, filename, link_token, tags, created_at,
       upload_url_expires_at, expires_at
     FROM asked ORDER BY paid_call_id
     ON CONFLICT (paid_call_id) DO UPDATE SET paid_call_id = EXCLUDED.paid_call_id
     RETURNING *
   )
   SELECT asked.n, inserted.id, inserted.mime, inserted.size_bytes AS "sizeBytes", inserted.sha256, inserted.slug,
     inserted.link_token AS "linkToken", inserted.tags, inserted.expires_at AS "expiresAt",
     inserted.upload_url_expires_at AS "uploadUrlExpiresAt"
   FROM asked JOIN inserted USING (paid_call_id)`,
);

/** Reserves an upload slot for one announced file. */
export const createUpload = service(create, {
  async admit(app: CreateDeps, input) {
    const issues: Issue[] = [];
    if (Buffer.from(input.sha256, 'hex').toString('base64') !== input.sha256Base64) {
      issues.push({ path: 'sha256Base64', rule: 'must be the base64 form of sha256' });
    }
    input.tags.forEach((tag, index) => {
      // PostgreSQL cannot store NUL or unpaired surrogates. Found after the payment, the call could never be delivered.
      if (/\0|\p{Surrogate}/u.test(tag)) {
        issues.push({ path: `tags.${index}`, rule: 'must be well-formed text without NUL' });
      }
    });
    if (issues.length > 0) throw invalidInput(issues);
    app.storeHealth.refuseWhileUnusable();
  },

  async nextCommand(app: CreateDeps, input) {
    // There is no slot yet, but its headers are those of any file like this one.
    const { headers } = await app.store.presignPut({
      key: objectKey('up_'),
      mime: input.mime,
      sizeBytes: input.size,
      sha256: input.sha256,
      expiresAt: new Date(app.clock.now() + 60_000),
    });
    return curlOfPut(input.filename ?? 'file', headers);
  },

  async deliver(app: CreateDeps, input, { payer, paidCallId, now }) {
    const uploadUrlExpiresAt = endOfSecond(now.getTime() + uploadLimits.uploadUrlMinutes * 60_000);
    const [upload] = await insertUpload(app, {
      id: newOrderedId('up', now),
      paid_call_id: paidCallId,
      owner: payer,
      mime: input.mime,
      size_bytes: input.size,
      sha256: input.sha256,
      ...namesOf(input.filename, input.mime),
      link_token: randomToken(),
      tags: input.tags,
      created_at: now,
      upload_url_expires_at: uploadUrlExpiresAt,
      expires_at: daysAfter(now, uploadLimits.retentionDays),
    });
    if (!upload) throw new Error('the insertion of an upload returned no row');
    return slotOf(app, upload);
  },
});

/** Upload URLs expire at whole seconds, so the row does too. */
function endOfSecond(timeMs: number): Date {
  return new Date(Math.ceil(timeMs / 1000) * 1000);
}
