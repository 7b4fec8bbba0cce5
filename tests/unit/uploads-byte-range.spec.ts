import { byteRangeOf } from '@/lib/http/files/serve-file';
import { expect, test } from '../support/without-browser';

const parts: readonly [header: string, start: number, end: number][] = [
  ['bytes=0-0', 0, 0],
  ['bytes=0-99', 0, 99],
  ['bytes=10-', 10, 99],
  ['bytes=10-5000', 10, 99],
  ['bytes=-1', 99, 99],
  ['bytes=-5000', 0, 99],
  ['Bytes= 5-6 ', 5, 6],
];

for (const [header, start, end] of parts) {
  test(`reads ${header} of 100 bytes`, () => {
    expect(byteRangeOf(header, 100)).toEqual({ start, end });
  });
}

for (const header of [
  undefined,
  '',
  'bytes=',
  'bytes=-',
  'bytes=9-3',
  'bytes=0-1,5-6',
  'lines=0-1',
  'bytes=a-b',
]) {
  test(`gives the whole file for ${header}`, () => {
    expect(byteRangeOf(header, 100)).toBeNull();
  });
}

for (const header of ['bytes=100-', 'bytes=100-200', 'bytes=-0']) {
  test(`refuses ${header} of 100 bytes`, () => {
    expect(byteRangeOf(header, 100)).toBe('unsatisfiable');
  });
}
