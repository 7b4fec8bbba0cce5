import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { worklistKinds } from '@/lib/ledger/worklist';
import { payingFetch } from '../support/buyer';
import { aFile } from '../support/files';
import { type Scrape, scrape } from '../support/metrics';
import { newEvmPayer } from '../support/payers';
import { matches, type Selector, selectorsOf } from '../support/promql';
import { researchOperations } from '../support/research';
import { stack } from '../support/stack';
import { uploadsUrl } from '../support/uploads';
import { expect, test } from '../support/without-browser';

const sentence = z.string().regex(/^['{A-Z].*\.$/s);
const rule = z.strictObject({
  alert: z.string().regex(/^([A-Z][a-z]+)+$/),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+m$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({ summary: sentence, description: sentence, runbook_url: z.string() }),
});
const ruleFile = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(rule) })),
});
const dashboard = z.object({
  uid: z.string(),
  schemaVersion: z.number(),
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).default([]),
    }),
  ),
});

const rules = ruleFile
  .parse(parse(readFileSync('deploy/prometheus/alerts.yml', 'utf8')))
  .groups.flatMap((group) => group.rules);
const { panels } = dashboard.parse(JSON.parse(readFileSync('deploy/grafana/tuppence.json', 'utf8')));
const targets = panels.flatMap((panel) => panel.targets);

/** Added by Prometheus itself. */
const addedLabels = ['instance', 'job'];

/** The labels of a metric, as a server printed them. */
function labelsOf({ samples }: Scrape, metric: string): Set<string> {
  return new Set(samples.filter(({ name }) => name === metric).flatMap(({ labels }) => Object.keys(labels)));
}

/** Why a selector would find nothing on a server that has made sales. */
function findProblems(scraped: Scrape, { metric, matchers, groupedBy }: Selector): string[] {
  const samples = scraped.samples.filter(({ name }) => name === metric);
  if (samples.length === 0) return [`${metric} is not printed`];
  const known = labelsOf(scraped, metric);
  const unknown = [...matchers.map(({ label }) => label), ...groupedBy].filter(
    (label) => !known.has(label) && !addedLabels.includes(label),
  );
  // No test makes a shared server fail, so its errors are made up.
  const imagined = samples.flatMap(({ labels }) => [
    labels,
    ...(labels.status ? [{ ...labels, status: '503' }] : []),
  ]);
  const finds = imagined.some((labels) => matches(labels, matchers));
  return [
    ...unknown.map((label) => `${metric} has no label ${label}`),
    ...(finds ? [] : [`nothing matches ${metric}${JSON.stringify(matchers)}`]),
  ];
}

test('every expression of the alerts and the dashboard finds what it reads on a real server', async () => {
  const wallet = await newEvmPayer();
  const pay = payingFetch(wallet, 'base');
  expect((await pay(uploadsUrl(), { method: 'POST', body: aFile().body })).status).toBe(200);
  const [search] = researchOperations;
  if (!search) throw new Error('nothing calls a provider');
  const body = JSON.stringify(search.minimalBody);
  const headers = { 'Content-Type': 'application/json' };
  const found = await pay(`${stack().apiUrl}${search.paths.x402}`, { method: 'POST', headers, body });
  expect(found.status).toBe(200);
  expect((await fetch(`${stack().apiUrl}/v1/nowhere`)).status).toBe(404);
  // The event loop lag is known from the second scrape on.
  await scrape();
  const scraped = await scrape();
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
  ];
  for (const expression of expressions) {
    const selectors = selectorsOf(expression);
    expect
      .soft(
        selectors.flatMap((selector) => findProblems(scraped, selector)),
        expression,
      )
      .toEqual([]);
    for (const { metric } of selectors) {
      const isCounter = /_(total|bucket|sum|count)$/.test(metric);
      const isRated = new RegExp(`(rate|increase)\\(${metric}\\b`).test(expression);
      expect.soft(isRated, `${metric} in ${expression}`).toBe(isCounter);
    }
  }
});

test('a wrong name, label, value or grouping in an expression is found', async () => {
  const scraped = await scrape();
  const problemsOf = (expression: string) =>
    selectorsOf(expression).flatMap((one) => findProblems(scraped, one));
  expect(problemsOf('max(tuppence_database_up)')).toEqual([]);
  expect(problemsOf('max(tuppence_databse_up)')).toEqual(['tuppence_databse_up is not printed']);
  expect(problemsOf('max by (chain) (tuppence_network_offered)')).toEqual([
    'tuppence_network_offered has no label chain',
  ]);
  expect(problemsOf('tuppence_open_calls{state="lost"}')).toHaveLength(1);
  expect(() => selectorsOf('sum(rate(tuppence_requests_total[5m])')).toThrow(/is wrong/);
});

test('each kind of the worklist raises one alert, and is in the docs and on the dashboard', () => {
  const kinds = [...worklistKinds, 'report'];
  const selects = (expression: string, kind: string) =>
    selectorsOf(expression).some(
      ({ metric, matchers }) => metric === 'tuppence_worklist_items' && matches({ kind }, matchers),
    );
  const ofWorklist = ({ expr }: { expr: string }) => expr.includes('tuppence_worklist_items');
  const [shown] = targets.filter(ofWorklist);
  for (const kind of kinds) {
    const raised = rules.filter(ofWorklist).filter(({ expr }) => selects(expr, kind));
    expect.soft(raised, kind).toHaveLength(1);
    expect.soft(selects(shown?.expr ?? '', kind), kind).toBe(true);
  }
  const row = /^\| `tuppence_worklist_items` \| `kind` \| (.*) \|$/m.exec(
    readFileSync('docs/metrics.md', 'utf8'),
  );
  const named = [...(row?.[1] ?? '').matchAll(/`(\w+)`/g)].map(([, kind]) => kind);
  expect(named.sort()).toEqual(kinds.sort());
});

test('the labels that texts of alerts and legends name are those that the expression keeps', () => {
  const wordsOf = (text: string) =>
    [...text.matchAll(/\{\{ ?(?:\$labels\.)?([a-z]\w*) ?\}\}/g)].map(([, label]) => label ?? '');
  const texts = [
    ...rules.map(
      ({ expr, annotations }) => [expr, `${annotations.summary} ${annotations.description}`] as const,
    ),
    ...targets.map(({ expr, legendFormat }) => [expr, legendFormat] as const),
  ];
  for (const [expr, text] of texts) {
    const kept = selectorsOf(expr.replaceAll('$__rate_interval', '5m')).flatMap(({ groupedBy }) => groupedBy);
    for (const label of wordsOf(text)) expect.soft(kept, `${text} of ${expr}`).toContain(label);
  }
});

test('panels of the dashboard do not overlap, and each has its own number', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
});

test('the dashboard names the operations that are paused, and no other', () => {
  const paused = targets.filter(({ expr }) => expr.includes('tuppence_operation_paused'));
  expect(paused).toEqual([
    {
      expr: 'max by (operation) (tuppence_operation_paused) == 1',
      legendFormat: '{{operation}}',
    },
  ]);
});
