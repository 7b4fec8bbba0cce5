/**
 * Whether the full enumeration runs (`npm run test:sweep`). `npm test` leaves out tests tagged `@sweep`, so that it takes
 * minutes.
 */
export const isSweep = process.env.npm_lifecycle_event === 'test:sweep';
