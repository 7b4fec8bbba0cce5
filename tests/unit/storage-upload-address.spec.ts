import { createHash } from 'node:crypto';
import type { PutGrant } from '@/lib/platform/storage/store';
import { checkUploadAddress, putHeaders, uploadAddress } from '@/lib/platform/storage/upload-address';
import { expect, test } from '../support/without-browser';

const oldKey = Buffer.alloc(32, 1);
const newKey = Buffer.alloc(32, 2);
const now = new Date('2026-12-01T00:00:00.000Z');
const grant: PutGrant = {
  key: 'uploads/up_1',
  mime: 'text/plain',
  sizeBytes: 5,
  sha256: createHash('sha256').update('hello').digest('hex'),
  expiresAt: new Date('2026-12-01T01:00:00.000Z'),
};

function claimOf(address: string) {
  const url = new URL(address);
  return {
    key: url.pathname.slice(1),
    expires: url.searchParams.get('expires'),
    signature: url.searchParams.get('signature'),
  };
}

const claim = claimOf(uploadAddress('https://files.example.com', grant, [oldKey]));

test('accepts its own URL until it expires, and no longer', () => {
  expect(checkUploadAddress(claim, [oldKey], now)).toBe('open');
  expect(checkUploadAddress(claim, [oldKey], new Date(grant.expiresAt.getTime() - 1))).toBe('open');
  expect(checkUploadAddress(claim, [oldKey], grant.expiresAt)).toBe('expired');
});

test('accepts URLs of an older key and signs with the newest', () => {
  expect(checkUploadAddress(claim, [newKey, oldKey], now)).toBe('open');
  expect(checkUploadAddress(claim, [newKey], now)).toBe('forged');
  const renewed = claimOf(uploadAddress('https://files.example.com', grant, [newKey, oldKey]));
  expect(checkUploadAddress(renewed, [newKey], now)).toBe('open');
});

test('refuses a URL that was changed in any part', () => {
  const forgeries = [
    { ...claim, key: 'uploads/up_2' },
    { ...claim, expires: '1896083200' },
    { ...claim, expires: `0${claim.expires}` },
    { ...claim, expires: `${claim.expires}.0` },
    { ...claim, expires: null },
    { ...claim, signature: null },
    { ...claim, signature: '' },
    { ...claim, signature: `${claim.signature}A` },
    { ...claim, signature: claim.signature?.toLowerCase() ?? null },
    { ...claim, signature: 'é'.repeat(43) },
  ];
  for (const forgery of forgeries) expect(checkUploadAddress(forgery, [oldKey], now)).toBe('forged');
});

test('has the digest in two headers, as S3 does', () => {
  expect(putHeaders(grant)).toEqual({
    'content-type': 'text/plain',
    'content-length': '5',
    'x-amz-checksum-sha256': 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
    'x-amz-meta-sha256': '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
  });
});
