/**
 * Whether the servers of all tests are plain `next start` instead of our own program (`npm run test:next`, with any path:
 * `npm run test:next -- tests/api/replay.spec.ts`).
 */
export const isStartedByNext = process.env.STARTED_BY === 'next';

/** Why a test is skipped then: the framework has these requests before or after our routes. */
export const byTheFramework = 'docs/operating.md says what the framework does instead';
