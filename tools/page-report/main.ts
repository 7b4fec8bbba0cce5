import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { FairLimit } from '@/lib/platform/concurrency/fair-limit';
import { browserLaunchOptions } from '@/tests/support/browser';
import { startLighthouse } from './lighthouse';
import { faultsOf } from './limits';
import { type Area, type ReportOptions, readOptions } from './options';
import { categories, type RatedPage, ratePage } from './ratings';
import { makeSheets } from './sheets';
import type { PageState, StatesOf, World } from './state';
import { consoleStates } from './states-console';
import { depositStates } from './states-deposit';
import { fileStates } from './states-files';
import { formStates } from './states-forms';
import { siteStates } from './states-site';
import { tryStates } from './states-try';
import { formatTable } from './table';
import { type Visit, visit, type Width, widths } from './visit';
import { findMissing } from './without-script';
import { startWorld } from './world';

/** Takes pictures and measurements of every page in every state: `npm run pages`. */

const makers: readonly [readonly Area[], StatesOf][] = [
  [['site', 'docs'], siteStates],
  [['forms'], formStates],
  [['deposit'], depositStates],
  [['try-it'], tryStates],
  [['console'], consoleStates],
  [['files', 'site'], fileStates],
];

interface Part {
  readonly table: string;
  readonly faults: readonly string[];
}

/** A state with everything that was found in it. */
interface Finding {
  readonly state: PageState;
  readonly visits: readonly Visit[];
  readonly missing: readonly string[];
  /** Why the state could not be reached. */
  readonly failure: string | null;
}

async function listStates(world: World, options: ReportOptions): Promise<PageState[]> {
  const states: PageState[] = [];
  for (const [areas, make] of makers)
    if (areas.some((area) => options.areas.includes(area))) states.push(...(await make(world)));
  return states.filter(
    ({ area, name }) => options.areas.some((one) => one === area) && options.name.test(name),
  );
}

async function look(browser: Browser, state: PageState, folder: string): Promise<Finding> {
  const visits: Visit[] = [];
  try {
    for (const width of widths) visits.push(await visit(browser, state, width, folder));
    return { state, visits, missing: await findMissing(browser, state), failure: null };
  } catch (error) {
    return { state, visits, missing: [], failure: error instanceof Error ? error.message : String(error) };
  }
}

function rowOf({ state, visits, missing, failure }: Finding): string[] {
  const largest = (of: (one: Visit) => number) => Math.max(0, ...visits.map(of));
  const at = (width: Width) => visits.find((one) => one.width === width)?.shift.toFixed(4) ?? '';
  return [
    `${state.area}/${state.name}`,
    ...widths.map(at),
    String(largest(({ overflow }) => overflow)),
    String(largest(({ violations }) => violations.length)),
    String(largest(({ foreign }) => foreign.length)),
    String(largest(({ errors }) => errors.length)),
    failure
      ? 'not reached'
      : missing.length > 0
        ? `${missing.length} missing`
        : (state.needsScript ?? 'the same'),
  ];
}

const headsOfVisits = [
  'state',
  ...widths.map((width) => `shift ${width}`),
  'overflow',
  'axe',
  'other hosts',
  'console',
  'without a script',
];

async function lookAtAll(browser: Browser, states: readonly PageState[], folder: string): Promise<Part> {
  for (const { area } of states) await mkdir(path.join(folder, area), { recursive: true });
  const places = new FairLimit({ size: 2 });
  const findings = await Promise.all(
    states.map((state) => places.run(() => withDot(look(browser, state, folder)))),
  );
  const reached = findings.filter(({ failure }) => failure === null).map(({ state }) => state);
  await makeSheets(browser, reached, folder);
  const faults = findings.flatMap(({ state, visits, missing, failure }) => [
    ...visits.flatMap(faultsOf),
    ...missing.map((one) => `${state.area}/${state.name} without a script: no ${one}`),
    ...(failure ? [`${state.area}/${state.name}: ${failure}`] : []),
  ]);
  return { table: formatTable(headsOfVisits, findings.map(rowOf)), faults };
}

const headsOfRatings = ['page', 'preset', 'performance', ...categories];

function rowOfRating({ state, preset, performance, others }: RatedPage): string[] {
  return [
    `${state.area}/${state.name}`,
    preset,
    String(performance),
    ...categories.map((name) => String(others[name])),
  ];
}

/** One page at a time, because they share the processor with the server. */
async function rateAll(states: readonly PageState[]): Promise<Part> {
  const lighthouse = await startLighthouse();
  const pages: RatedPage[] = [];
  try {
    for (const state of states) {
      const rated = await ratePage(lighthouse, state);
      pages.push(...rated);
      // A full run takes an hour; printing now shows these results even if it is stopped early.
      process.stderr.write(`${rated.map((page) => rowOfRating(page).join(' ')).join('\n')}\n`);
    }
  } finally {
    await lighthouse.stop();
  }
  return {
    table: formatTable(headsOfRatings, pages.map(rowOfRating)),
    faults: pages.flatMap(({ faults }) => faults),
  };
}

async function withDot<Result>(work: Promise<Result>): Promise<Result> {
  return work.finally(() => process.stderr.write('.'));
}

async function report(world: World, browser: Browser, options: ReportOptions): Promise<boolean> {
  const states = await listStates(world, options);
  await mkdir(options.out, { recursive: true });
  const parts: Part[] = [];
  if (options.hasPictures) parts.push(await lookAtAll(browser, states, options.out));
  if (options.hasLighthouse) parts.push(await rateAll(states.filter(({ isRated }) => isRated)));
  process.stderr.write('\n');
  const faults = parts.flatMap((part) => part.faults);
  const end = faults.length === 0 ? 'No limit is broken.' : `${faults.length} faults:`;
  const text = [...parts.flatMap(({ table }) => [table, '']), end, ...faults].join('\n');
  await writeFile(path.join(options.out, 'table.txt'), `${text}\n`);
  console.log(text);
  return faults.length === 0;
}

const options = readOptions(process.argv.slice(2));
const world = await startWorld();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => world.stop().finally(() => process.exit(130)));
try {
  const browser = await chromium.launch(browserLaunchOptions());
  const isGood = await report(world, browser, options).finally(() => browser.close());
  process.exitCode = isGood ? 0 : 1;
} finally {
  await world.stop();
}
