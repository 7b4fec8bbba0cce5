// `npm run generate:diagram`, to run when the table of moves changes: draws the states of a paid call, and lists their moves in
// docs/reliability.md.
import { writeFileSync } from 'node:fs';
import { drawnFiles } from './diagram';

for (const { file, wanted } of drawnFiles()) writeFileSync(file, wanted);
