/**
 * Whether the whole enumeration runs (`npm run test:sweep`) or, as in `npm test`, the part of it that fits into minutes:
 * what is tagged `@sweep` is left out.
 */
export const isSweep = process.env.npm_lifecycle_event === 'test:sweep';
