/**
 * Whether the servers of all tests are plain `next start` instead of our own program (`npm run test:next`, with any path:
 * `npm run test:next -- tests/api/replay.spec.ts`).
 */
export const isStartedByNext = process.env.STARTED_BY === 'next';
