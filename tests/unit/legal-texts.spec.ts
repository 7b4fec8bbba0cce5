import { fillSlots } from '@/app/_site/legal/slots';
import { expect, test } from '../support/without-browser';

test('a slot shows its words as they are, even if they look like a slot', () => {
  expect(fillSlots('By {{name}}.', { name: '{{law}} $& $1', law: 'x' })).toBe('By {{law}} $& $1.');
});

test('a section stays only with its detail, and its marks leave no lines', () => {
  const text =
    'A\n{{#law}}\nThe law of {{law}}.{{#date}} Since {{date}}.{{/date}}\n{{/law}}\n{{^law}}\nNo law.\n{{/law}}\nB';
  expect(fillSlots(text, { law: 'Ireland', date: false })).toBe('A\nThe law of Ireland.\nB');
  expect(fillSlots(text, { law: false, date: 'May' })).toBe('A\nNo law.\nB');
});

test('a slot that nothing fills is an error', () => {
  expect(() => fillSlots('{{nmae}}', { name: 'Acme' })).toThrow('{{nmae}}');
});
