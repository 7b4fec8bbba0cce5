import { z } from 'zod';
import { type Lighthouse, type Preset, presets, type Rating } from './lighthouse';
import type { PageState } from './state';

/** How Lighthouse rates a page, and whether that is good enough. */

const performanceMin = 97;
export const categories = ['accessibility', 'best-practices', 'seo'] as const;

/**
 * Pages meant only for people who were given the link tell search engines to ignore them. Lighthouse reports that as a fault.
 */
const exemptWhenUnlisted: readonly string[] = ['is-crawlable'];

export interface RatedPage {
  readonly state: PageState;
  readonly preset: Preset;
  /** The first score if it is good enough, otherwise the median of three: other work on the machine can only lower a score. */
  readonly performance: number;
  readonly others: Readonly<Record<(typeof categories)[number], number>>;
  readonly faults: readonly string[];
}

export async function ratePage(lighthouse: Lighthouse, state: PageState): Promise<RatedPage[]> {
  const pages: RatedPage[] = [];
  for (const preset of presets) pages.push(await rateWith(lighthouse, state, preset));
  return pages;
}

async function rateWith(lighthouse: Lighthouse, state: PageState, preset: Preset): Promise<RatedPage> {
  const rate = (isPerformanceOnly: boolean) =>
    lighthouse.rate(state.url, { preset, cookie: state.cookie, isPerformanceOnly });
  const first = await rate(false);
  const performance =
    performanceOf(first) >= performanceMin
      ? performanceOf(first)
      : middleOf([first, await rate(true), await rate(true)].map(performanceOf));
  const exempt = state.isUnlisted ? exemptWhenUnlisted : [];
  const scores = categories.map((name) => [name, scoreOf(first, name, exempt)] as const);
  const where = `${state.area}/${state.name} ${preset}`;
  return {
    state,
    preset,
    performance,
    others: Object.fromEntries(scores) as RatedPage['others'],
    faults: [
      ...(performance < performanceMin ? [`${where}: performance ${performance}, ${slowestOf(first)}`] : []),
      ...categories.flatMap((name) =>
        failedIn(first, name, exempt).map((title) => `${where}: ${name}: ${title}`),
      ),
    ],
  };
}

const middleOf = (three: readonly number[]) => three.toSorted((a, b) => a - b)[1] ?? 0;

const performanceOf = ({ categories: { performance } }: Rating) =>
  Math.round((performance?.score ?? 0) * 100);

type AuditRefs = readonly { readonly id: string; readonly weight: number }[];

/** The audits that count, without those that do not apply. */
function countedIn({ categories: all, audits }: Rating, name: string, exempt: readonly string[]): AuditRefs {
  const refs = all[name]?.auditRefs ?? [];
  return refs.filter(
    ({ id, weight }) =>
      weight > 0 &&
      !exempt.includes(id) &&
      audits[id]?.score != null &&
      !isKnownLine(id, audits[id]?.details),
  );
}

const robotsFaults = z.object({ items: z.array(z.object({ line: z.string() })) });

/** Lighthouse accepts `Content-Signal` in robots.txt from version 13 on, which requires a newer Node. */
function isKnownLine(audit: string, details: unknown): boolean {
  if (audit !== 'robots-txt') return false;
  const { data } = robotsFaults.safeParse(details);
  return data?.items.every(({ line }) => line.startsWith('Content-Signal: ')) ?? false;
}

function scoreOf(rating: Rating, name: string, exempt: readonly string[]): number {
  const counted = countedIn(rating, name, exempt);
  const total = counted.reduce((sum, { weight }) => sum + weight, 0);
  const reached = counted.reduce((sum, { id, weight }) => sum + weight * (rating.audits[id]?.score ?? 0), 0);
  return total === 0 ? 0 : Math.floor((reached / total) * 100 + 1e-9);
}

function failedIn(rating: Rating, name: string, exempt: readonly string[]): string[] {
  return countedIn(rating, name, exempt).flatMap(({ id }) => {
    const audit = rating.audits[id];
    return audit && (audit.score ?? 0) < 1 ? [`${id} (${audit.title})`] : [];
  });
}

/** The metrics that lower the score most. */
function slowestOf(rating: Rating): string {
  return countedIn(rating, 'performance', [])
    .filter(({ id }) => (rating.audits[id]?.score ?? 1) < 0.95)
    .map(({ id }) => id)
    .join(', ');
}
