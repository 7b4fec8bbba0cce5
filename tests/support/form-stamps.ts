import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { stack } from './stack';

/** The stamp that the server would have made for a page that was opened `ageMs` ago, so that no test has to wait. */
export function stampOfAge(formId: string, ageMs: number): string {
  const dataKey = stack().serverEnv.DATA_KEY ?? '';
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(dataKey, 'base64'), '', 'tuppence form-stamp', 32));
  const body = `${(Date.now() - ageMs).toString(36)}.${randomBytes(12).toString('hex')}`;
  const signature = createHmac('sha256', key).update(`${formId}.${body}`).digest('base64url');
  return `${body}.${signature}`;
}
