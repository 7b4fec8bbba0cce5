import { forms, render, uploads } from '@/lib/catalog';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { readInput } from '@/lib/http/body';
import { withExtension } from '@/lib/services/uploads/slug';
import { expect, test } from '../support/without-browser';

/** Rules of inputs, and what callers are told about them. */

const refusal = (read: () => unknown): ApiError | null => {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
};

test('every legal form of a MIME type is accepted, and nothing else', () => {
  const { mime } = uploads.create.body.shape;
  for (const legal of [
    'text/plain',
    'text/plain;charset=utf-8',
    'text/plain ;  charset="utf-8"',
    'application/ld+json; profile="a \\"quoted\\" name"',
    "application/x'y`z~|*%",
    'multipart/form-data; boundary=a%b|c',
    'text/html; a=b; c=d',
  ])
    expect([legal, mime.safeParse(legal).success]).toEqual([legal, true]);
  for (const wrong of [
    'text',
    'text/',
    '/plain',
    'text/plain; charset',
    'text/plain; a="b',
    'text/pl ain',
    'a/b\r\nc: d',
  ])
    expect([wrong, mime.safeParse(wrong).success]).toEqual([wrong, false]);
});

test('a time without a time zone is answered in words and not with a pattern', () => {
  const body = { ...forms.create.example.body, closesAt: '2027-12-01' };
  const error = refusal(() => readInput(forms.create, Buffer.from(JSON.stringify(body)), {}));
  expect(error?.issues).toEqual([
    { path: 'closesAt', rule: 'must be a date and time with a time zone, such as 2026-12-24T12:00:00Z' },
  ]);
});

test('an unknown field of a PDF request is named by its position, and of other requests by its name', () => {
  const pdf = refusal(() => readInput(render.pdf, Buffer.from('{"html":"x","secret":1}'), {}));
  expect(pdf?.issues).toEqual([{ path: 'body', rule: 'must not have its field number 2' }]);
  expect(JSON.stringify(pdf)).not.toContain('secret');
  const form = { ...forms.create.example.body, color: 'red' };
  const named = refusal(() => readInput(forms.create, Buffer.from(JSON.stringify(form)), {}));
  expect(named?.issues).toEqual([{ path: 'color', rule: 'is not a known field' }]);
});

test('an ID that no upload can have names no upload', () => {
  for (const { operation } of [{ operation: uploads.renew }, { operation: uploads.remove }])
    for (const id of ['up_\0', 'x'.repeat(65), '../x'])
      expect(refusal(() => readInput(operation, Buffer.alloc(0), { id }))?.code).toBe('upload_not_found');
});

test('a PDF has its extension, whatever its name is', () => {
  expect(
    ['invoice-1', 'invoice-1.pdf', 'Invoice.PDF', 'v1.2'].map((name) =>
      withExtension(name, 'application/pdf'),
    ),
  ).toEqual(['invoice-1.pdf', 'invoice-1.pdf', 'Invoice.PDF', 'v1.2.pdf']);
  expect(withExtension(undefined, 'application/pdf')).toBeUndefined();
});
