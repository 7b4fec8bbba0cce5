import { createHash } from 'node:crypto';
import { freeOperations, operations } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { skills } from '@/lib/catalog/skills';
import { skillIndex, skillText } from '@/lib/discovery/skills';
import { operatorDetails } from '@/lib/platform/public-operator';
import { expect, test } from '../support/without-browser';

/** Skill files, checked against agentskills.io and version 0.2.0 of its discovery. */

const publicUrl = 'https://api.example.com';
const siteWith = (isAvailable: (operation: Operation) => boolean) => ({
  publicUrl,
  offers: [],
  guides: [],
  source: { url: null, editUrl: null },
  isTest: false,
  isAvailable,
  flowOf: () => 'upfront' as const,
  linkLimits: { downloads: 10_000, bytes: null },
  operator: operatorDetails({}),
  adapterDigests: { package: 'a'.repeat(64), program: 'b'.repeat(64), client: 'c'.repeat(64) },
});
const site = siteWith(() => true);

for (const skill of skills) {
  test(`${skill.name} has the name, description and length that agents expect`, () => {
    expect(skill.name).toMatch(/^(?!.*--)[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$/);
    expect(skill.description.length).toBeLessThanOrEqual(1024);
    expect(skill.description).toContain('Use ');
    const [, head = '', body = ''] = skillText(skill, site).split(/^---$/m);
    expect(head).toContain(`\nname: ${skill.name}\n`);
    expect(head).toContain(`\ndescription: ${JSON.stringify(skill.description)}\n`);
    expect(body.split('\n').length).toBeLessThan(500);
    // About 5,000 tokens.
    expect(body.length).toBeLessThan(20_000);
  });

  test(`${skill.name} names every call that it uses with its price`, () => {
    const text = skillText(skill, site);
    for (const id of skill.uses) {
      const operation = [...operations, ...freeOperations].find((one) => one.id === id);
      if (!operation) throw new Error(`there is no operation ${id}`);
      const path = 'paths' in operation ? operation.paths.x402 : operation.path;
      expect(text).toContain(`## ${operation.method} ${path}\n${operation.summary}`);
      if ('price' in operation) expect(text).toContain(`Price: ${operation.price} USDC.`);
    }
  });
}

test('every call that a wallet pays for belongs to a skill, except deposits', () => {
  const used = skills.flatMap(({ uses }) => uses);
  const paid = operations.filter(({ category }) => category !== 'billing').map(({ id }) => id);
  expect(paid.filter((id) => !used.includes(id))).toEqual([]);
});

test('the index has what readers of both versions look for', () => {
  const { skills: entries, $schema } = skillIndex(site);
  expect($schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
  expect(entries.map(({ name }) => name)).toEqual(skills.map(({ name }) => name));
  for (const [index, entry] of entries.entries()) {
    const skill = skills[index];
    if (!skill) throw new Error('an entry without a skill');
    expect(entry).toMatchObject({
      type: 'skill-md',
      files: ['SKILL.md'],
      url: `${publicUrl}/.well-known/agent-skills/${entry.name}/SKILL.md`,
      digest: `sha256:${createHash('sha256').update(skillText(skill, site)).digest('hex')}`,
    });
  }
});

test('a skill whose main call is not available is not in the index, and other calls are left out of their skill', () => {
  const without = (...ids: string[]) => siteWith(({ id }) => !ids.includes(id));
  const names = skillIndex(without('render.pdf')).skills.map(({ name }) => name);
  expect(names).not.toContain('tuppence-make-pdfs');
  const reading = skills.find(({ name }) => name === 'tuppence-read-pages');
  if (!reading) throw new Error('there is no such skill');
  expect(skillText(reading, without('crawl.scrape'))).not.toContain('/v1/crawl/scrape');
});
