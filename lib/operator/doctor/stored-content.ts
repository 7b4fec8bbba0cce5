import type { Client } from 'pg';
import { listed, openStates } from '@/lib/ledger/states';
import type { DataKeys } from '@/lib/platform/data-keys';
import { type Finding, ok, warning } from './finding';

const rowsMax = 50;

/**
 * A sample of the encrypted content: one response for each half day of the time that responses are kept, the open calls that
 * are due first, and answers to the forms that are erased first and last. Keys follow one another in time, so the sample
 * includes content that a missing key has encrypted.
 */
const samples = `
  WITH response AS (
    SELECT DISTINCT ON (found.id) found.answer
    FROM generate_series(now(), now() + interval '38 days', interval '12 hours') AS moment
    CROSS JOIN LATERAL (
      SELECT id, answer FROM paid_call WHERE answer IS NOT NULL AND answer_expires_at >= moment
      ORDER BY answer_expires_at LIMIT 1
    ) AS found
  ), open_call AS (
    SELECT payment FROM paid_call WHERE state IN ${listed(openStates)} AND payment IS NOT NULL
    ORDER BY attempt_at LIMIT ${rowsMax}
  ), form_answer AS (
    (SELECT answers FROM form JOIN form_response ON form_id = form.id WHERE erased_at IS NULL
     ORDER BY readable_until LIMIT ${rowsMax})
    UNION ALL
    (SELECT answers FROM form JOIN form_response ON form_id = form.id WHERE erased_at IS NULL
     ORDER BY readable_until DESC LIMIT ${rowsMax})
  )
  SELECT 'stored responses' AS kind, answer AS content FROM response
  UNION ALL SELECT 'open calls', payment FROM open_call
  UNION ALL SELECT 'answers to forms', answers FROM form_answer`;

/** Tries to decrypt stored content with DATA_KEY. Returns no finding when the tables do not exist yet. */
export async function checkStoredContent(client: Client, keys: DataKeys): Promise<Finding[]> {
  const { rows: tables } = await client.query(
    `SELECT to_regclass('paid_call') IS NOT NULL AND to_regclass('form_response') IS NOT NULL AS exist`,
  );
  if (!tables[0]?.exist) return [];
  const { rows } = await client.query<{ kind: string; content: Buffer }>(samples);
  const unreadable = rows.filter(({ content }) => keys.tryDecrypt(content) === null);
  if (rows.length === 0) return [ok('DATA_KEY', 'nothing that needs it is stored yet')];
  if (unreadable.length === 0) return [ok('DATA_KEY', `it opens what is stored (${rows.length} rows tried)`)];
  const kinds = [...new Set(unreadable.map(({ kind }) => kind))].join(', ');
  return [
    warning(
      'DATA_KEY',
      `${unreadable.length} of ${rows.length} rows that were tried were encrypted with a key that is not set (${kinds})`,
      'Add the key that encrypted them to DATA_KEY, after the newest one. Without it their callers get 410 response_expired, and open calls are not delivered.',
    ),
  ];
}
