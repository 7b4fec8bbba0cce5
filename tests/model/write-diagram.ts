// `npm run generate:diagram`, to run when the table of moves changes: draws the states of a paid call in docs/reliability.md.
import { writeFileSync } from 'node:fs';
import { diagramOnPage } from './diagram';

const { page, wanted } = diagramOnPage();
writeFileSync(page, wanted);
