import { presentationOf } from '@/lib/services/uploads/content-type';
import { expect, test } from '../support/without-browser';

const shown: readonly [mime: string, contentType: string][] = [
  ['image/png', 'image/png'],
  ['IMAGE/JPEG', 'image/jpeg'],
  ['application/pdf; version=1.7', 'application/pdf'],
  ['video/mp4; codecs="avc1"', 'video/mp4'],
  ['audio/mpeg', 'audio/mpeg'],
  ['text/plain', 'text/plain; charset=utf-8'],
  ['text/plain;charset=ISO-8859-1', 'text/plain; charset=ISO-8859-1'],
];

for (const [mime, contentType] of shown) {
  test(`shows ${mime} in the browser`, () => {
    expect(presentationOf(mime)).toEqual({ contentType, disposition: 'inline' });
  });
}

const downloaded = [
  'text/html',
  'TEXT/HTML; charset=utf-8',
  'application/xhtml+xml',
  'image/svg+xml',
  'text/xml',
  'application/xml',
  'application/rss+xml',
  'text/css',
  'text/csv',
  'text/markdown',
  'application/json',
  'application/zip',
  'application/x-shockwave-flash',
  'image/unheard-of',
];

for (const mime of downloaded) {
  test(`gives ${mime} only as a download`, () => {
    expect(presentationOf(mime)).toEqual({ contentType: mime, disposition: 'attachment' });
  });
}

const disguised = [
  'text/javascript',
  'application/javascript; charset=utf-8',
  'application/x-ecmascript',
  'text/jscript',
  'multipart/x-mixed-replace; boundary=a',
  'multipart/related',
  'message/rfc822',
  'x-unknown/x-unknown',
];

for (const mime of disguised) {
  test(`does not pass on the type ${mime}`, () => {
    expect(presentationOf(mime)).toEqual({
      contentType: 'application/octet-stream',
      disposition: 'attachment',
    });
  });
}
