import { keptAnswer, packAnswer, readKeptAnswer, unpackAnswer } from '@/lib/ledger/kept-answer';
import { expect, test } from '../support/without-browser';

const answerOf = (results: number) => ({
  body: JSON.stringify(Array.from({ length: results }, (_, id) => ({ id, title: `Café ${id}` }))),
  headers: { 'X-Served-By': 'own reader' },
  receipt: 'header.payload.signature',
});

for (const { name, results, share } of [
  { name: 'a short answer is stored as it is', results: 10, share: 1 },
  { name: 'a long answer is stored in less than half of its length', results: 500, share: 0.5 },
  { name: 'a very long answer is stored as it is', results: 20_000, share: 1 },
]) {
  test(`${name}, and read as it was`, async () => {
    const answer = answerOf(results);
    const kept = keptAnswer(answer);
    const packed = await packAnswer(kept);
    const length = Buffer.byteLength(kept);

    if (share === 1) expect(packed.length).toBe(length);
    else expect(packed.length).toBeLessThan(share * length);
    expect(readKeptAnswer(unpackAnswer(packed))).toEqual(answer);
  });
}
