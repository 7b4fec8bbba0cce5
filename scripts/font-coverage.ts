// `npm run generate:fonts`, after a font package has changed: writes down which characters the renderer's fonts have.
import { writeFileSync } from 'node:fs';
import { coverageOfFonts } from './fonts/coverage';

writeFileSync(
  'lib/services/render/font-coverage.ts',
  [
    '/** The characters that our fonts have, in ranges of code points in hex. Written by `npm run generate:fonts`. */',
    'export const covered =',
    `  '${coverageOfFonts()}';\n`,
  ].join('\n'),
);
