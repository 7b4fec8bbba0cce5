import { currentApp } from '@/lib/app/current';
import type { FindDocument } from '@/lib/http/documents';
import { daysAfter } from '@/lib/platform/durations';
import { operatorDetails } from '@/lib/platform/public-operator';
import { mailUrl } from './markdown';

const securityPath = '/.well-known/security.txt';

/** RFC 9116 recommends less than a year. The document is made again at each start. */
const validDays = 360;

/** `/.well-known/security.txt` (RFC 9116), if there is an address to write to. */
export const findSecurityTxt: FindDocument = async ({ path }) => {
  if (path !== securityPath) return null;
  const { settings, clock } = currentApp();
  const { securityEmail } = operatorDetails(settings);
  if (securityEmail === null) return null;
  const expires = daysAfter(clock.date(), validDays);
  const { PUBLIC_URL: publicUrl } = settings;
  // Both have to be https addresses.
  const pages = publicUrl.startsWith('https:')
    ? [`Canonical: ${publicUrl}${securityPath}`, `Policy: ${publicUrl}/contact#report-a-vulnerability`]
    : [];
  const lines = [`Contact: ${mailUrl(securityEmail)}`, `Expires: ${expires.toISOString()}`, ...pages];
  return {
    key: path,
    mediaType: 'text/plain; charset=utf-8',
    make: () => `${lines.join('\n')}\n`,
    headers: {},
  };
};
