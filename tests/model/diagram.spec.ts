import { expect, test } from '../support/without-browser';
import { diagramOnPage } from './diagram';

test('the page about reliability has the current diagram of the states', () => {
  const { current, wanted } = diagramOnPage();
  expect(current, 'npm run generate:diagram').toBe(wanted);
  expect(wanted).toContain('  settling --> settled: ');
});
