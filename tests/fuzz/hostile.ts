/** Part of every hostile text, so that an answer that repeats the text can be recognized. */
export const marker = 'fz9q7xkv';

/** Texts that break programs which misinterpret them. */
export const hostileTexts: readonly string[] = [
  `<script>${marker}()</script>`,
  `"><img src=x onerror=${marker}>`,
  `${marker}\0`,
  `${marker}\r\nSet-Cookie: ${marker}=1`,
  `${marker}\ud800`,
  `\u202e${marker}\u2066`,
  `\ufeff${marker}\u200b`,
  `'; DROP TABLE paid_call; -- ${marker}`,
  `../../../../${marker}`,
  `..%2f..%5c%00${marker}`,
  `{{7*7}}\${${marker}}`,
  `http://127.0.0.1:1/${marker}`,
  `data:text/html,<b>${marker}`,
  `javascript:${marker}`,
  `${marker} `.repeat(2_000),
  `${'\u0301'.repeat(500)}${marker}`,
  '__proto__',
  'constructor',
  'NaN',
  '-0',
  '1e999',
  ' ',
  '',
];

/** Bodies that are not JSON objects as we expect them, or not quite. */
export const hostileBodies: readonly (readonly [what: string, bytes: Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['half an object', Buffer.from(`{"${marker}":`)],
  ['a number too large for any', Buffer.from(`{"size":1e999,"tags":"${marker}"}`)],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
  ['UTF-16', Buffer.from(`{"a":"${marker}"}`, 'utf16le')],
  ['a prototype', Buffer.from(`{"__proto__":{"${marker}":1},"constructor":{"prototype":1}}`)],
  ['five thousand lists in each other', Buffer.from(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)],
  ['ten thousand fields', Buffer.from(`{${Array.from({ length: 10_000 }, (_, n) => `"f${n}":1`).join()}}`)],
  ['a form', Buffer.from(`a=${marker}&b=%00`)],
  ['XML', Buffer.from(`<?xml version="1.0"?><!DOCTYPE a SYSTEM "file:///etc/passwd"><a>${marker}</a>`)],
];
