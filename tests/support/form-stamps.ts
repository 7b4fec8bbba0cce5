import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { stack } from './stack';

/** A stamp of a page that was opened a while ago, as the server would have made it then: time passes without waiting. */
export function stampOfAge(formId: string, ageMs: number): string {
  const dataKey = stack().serverEnv.DATA_KEY ?? '';
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(dataKey, 'base64'), '', 'tuppence form-stamp', 32));
  const body = `${(Date.now() - ageMs).toString(36)}.${randomBytes(12).toString('hex')}`;
  const signature = createHmac('sha256', key).update(`${formId}.${body}`).digest('base64url');
  return `${body}.${signature}`;
}
