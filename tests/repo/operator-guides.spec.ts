import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { findPath } from '@/lib/catalog/endpoints';
import { settingsSchema } from '@/lib/platform/settings';
import { codeIn, incidentGuides, operatorGuides, seenIn } from '../support/operator-guides';
import { expect, test } from '../support/without-browser';
import { read } from './sources';

/** Everything that pages for operators name exists: settings, commands, paths, metrics, alerts, log entries and doctor lines. */

/** The text of every source file below a folder. */
function sourcesIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('generated'),
    )
    .map((entry) => read(path.join(entry.parentPath, entry.name)))
    .join('\n');
}

const sources = sourcesIn('lib') + sourcesIn('app/operator');
const settings = Object.keys(settingsSchema.shape);

/** Variables that are not settings of ours but belong to Node, Next, the compose file, PostgreSQL or the readers of guides. */
const otherVariables = [
  'ADMIN_URL',
  'BACKUP_KEEP_DAYS',
  'BASE_URL',
  'NEXT_MANUAL_SIG_HANDLE',
  'NODE_OPTIONS',
  'POSTGRES_PASSWORD',
  'PRIVATE_KEY',
];

const isSql = (code: string) => /^\s*(SELECT|WITH|CREATE|ALTER) /.test(code);

test('every setting that a page names exists', () => {
  for (const guide of operatorGuides) {
    const named = codeIn(guide)
      .filter((code) => !isSql(code))
      .flatMap((code) => code.match(/\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b/g) ?? []);
    expect(
      named.filter((name) => !settings.includes(name) && !otherVariables.includes(name)),
      guide.file,
    ).toEqual([]);
  }
});

test('every command that a page shows exists, with its options', () => {
  for (const guide of operatorGuides) {
    const typed = codeIn(guide)
      .join('\n')
      .matchAll(/\bnpm run tuppence -- ([a-z]+(?:-[a-z]+)*)(.*)$/gm);
    for (const [line, name = '', args = ''] of typed) {
      const file = `lib/operator/commands/${name}.ts`;
      expect(existsSync(file), `${guide.file}: ${line}`).toBe(true);
      const source = read(file) + read('lib/operator/calls/filters.ts');
      for (const [, option = ''] of args.matchAll(/ --([a-z-]+)/g))
        expect(source, `${guide.file}: ${line}`).toMatch(new RegExp(`--${option}\\b|\\b${option}:`));
    }
  }
});

test('every path of ours that a page names has a route', () => {
  for (const guide of operatorGuides) {
    const paths = codeIn(guide).flatMap(
      (code) =>
        code.match(/(?<=^|GET |POST |PUT )\/(?:health|metrics|internal|operator|v1)\b[\w/{}-]*/g) ?? [],
    );
    for (const one of paths) {
      const isServed = findPath(one) !== null || existsSync(`app${one.replaceAll('{id}', '[id]')}`);
      expect(isServed, `${guide.file}: ${one}`).toBe(true);
    }
  }
});

test('every metric that a page names exists', () => {
  for (const guide of operatorGuides) {
    for (const name of new Set(codeIn(guide).flatMap((code) => code.match(/\btuppence_[a-z_]+\b/g) ?? []))) {
      if (['tuppence_before_restore', 'tuppence_test'].includes(name)) continue;
      expect(sources.includes(`'${name}'`), `${guide.file}: ${name}`).toBe(true);
    }
  }
});

test('every entry of the log that a page about an incident names is written somewhere', () => {
  for (const guide of incidentGuides) {
    for (const entry of seenIn(guide, 'Log')) {
      const words = entry.replace(/^over: /, '');
      const isField = /^[a-z_]+$/.test(words);
      const isWritten = isField ? new RegExp(`\\b${words}\\b`).test(sources) : sources.includes(words);
      expect(isWritten, `${guide.file}: ${entry}`).toBe(true);
    }
  }
});

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook_url: string };
}

const rules: Rule[] = parse(read('deploy/prometheus/alerts.yml')).groups[0].rules;

test('every alert links to a page that names it among what is seen', () => {
  for (const { alert, annotations } of rules) {
    const guide = incidentGuides.find(({ file }) => file === annotations.runbook_url);
    expect(guide, alert).toBeDefined();
    if (guide) expect(seenIn(guide, 'Alerts'), annotations.runbook_url).toContain(alert);
  }
  const known = rules.map(({ alert }) => alert);
  for (const guide of incidentGuides)
    for (const alert of seenIn(guide, 'Alerts')) expect(known, guide.file).toContain(alert);
});

test('docs/metrics.md lists every alert with its severity and its page', () => {
  const rows = [
    ...read('docs/metrics.md').matchAll(/^\| `(\w+)` \| (Page|Ticket) \| .* \| \[.*\]\((.*)\) \|$/gm),
  ];
  expect(rows.map(([, alert, severity, page]) => [alert, severity?.toLowerCase(), `docs/${page}`])).toEqual(
    rules.map(({ alert, labels, annotations }) => [alert, labels.severity, annotations.runbook_url]),
  );
});

test('the first page about incidents leads to each of them', () => {
  const linked = [...read('docs/incidents.md').matchAll(/\]\((incidents\/[\w-]+\.md)\)/g)].map(
    ([, page]) => `docs/${page}`,
  );
  expect([...new Set(linked)].sort()).toEqual(incidentGuides.map(({ file }) => file).sort());
});

test('every page about an incident has the same parts', () => {
  const parts = [
    'What you see',
    'What it means',
    'What to do',
    'How you know that it is over',
    'What not to do',
  ];
  for (const { file, text } of incidentGuides) {
    for (const part of parts) {
      if (file.endsWith('/restore.md') && parts.indexOf(part) < 2) continue;
      expect(text, file).toContain(`\n## ${part}`);
    }
  }
});

test('the page about leaked keys says what to do about every secret that can be set', () => {
  const secrets = settings.filter((name) => /KEY|TOKEN|SECRET|^DATABASE_URL$/.test(name));
  expect(secrets.length).toBeGreaterThan(15);
  const page = read('docs/incidents/key-leaked.md');
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  for (const name of secrets) expect(rows.join('\n')).toContain(`\`${name}\``);
});
