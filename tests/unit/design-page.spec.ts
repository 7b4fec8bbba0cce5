import { readFileSync } from 'node:fs';
import { designPage, designTokens } from '@/app/_site/docs/design-page';
import { expect, test } from '../support/without-browser';

test('the page of the design system shows every size, space and color that styles may use', () => {
  const declared = readFileSync('app/_page/tokens.css', 'utf8').matchAll(
    /--((?:text|space|gap)-[\w-]+|[\w-]+)(?=: )/g,
  );
  const others = /^(font|container|measure|form-width|gutter|radius|focus-width)/;
  const names = [...new Set([...declared].map(([, name = '']) => name))].filter((name) => !others.test(name));
  expect(Object.values(designTokens).flat().sort()).toEqual(names.sort());
});

test('the page of the design system is served on local hosts only', () => {
  const at = (publicUrl: string) => designPage({ publicUrl });
  expect(at('http://localhost:3000')?.title).toBe('Design system');
  expect(at('https://api.example.com')).toBeNull();
});
