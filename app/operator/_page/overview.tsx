import type { ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import type { SystemStatus } from '@/lib/operator/console/system';
import type { NetworkWallets } from '@/lib/operator/console/wallets';
import { networkLabel } from '@/lib/payments/network-offers';
import { dayMs, startOfDay } from '@/lib/platform/durations';
import { consolePage, showPage } from './console-route';
import { hoursWarned, runsOut } from './gas';
import { Business, type BusinessProps } from './overview-figures';
import { AsOf, PageHead } from './parts';

/** The worklist is counted up to this. */
const countedMax = 1_000;
/** How many days are plotted. */
const plottedDays = 30;

/** `GET /operator`: whether anything is wrong, then today's money, then the last weeks. */
export const showOverview = consolePage(async (context) => {
  const { console } = currentApp();
  const [waiting, reports, system, wallets, business] = await Promise.all([
    console.readWorklist(countedMax),
    console.openReports(countedMax),
    console.readSystem(),
    console.readWallets(),
    readBusiness(),
  ]);
  const problems = problemsOf(waiting.length, reports.length, system, wallets);
  // A tab in the background shows only its title.
  const title = problems.length === 0 ? 'Overview' : `(${itemsIn(problems)}) Overview`;
  return showPage(
    context,
    title,
    <Overview problems={problems} business={business} now={currentApp().clock.now()} />,
  );
});

async function readBusiness(): Promise<BusinessProps> {
  const { clock, console } = currentApp();
  const now = clock.now();
  const today = startOfDay(now);
  const from = new Date(today - (plottedDays - 1) * dayMs);
  const [days, yesterdaySoFar, latency, refusals] = await Promise.all([
    console.readDays(plottedDays),
    console.readFigures(new Date(today - dayMs), new Date(now - dayMs)),
    console.readLatency(),
    console.readRefusals(from),
  ]);
  return { days, yesterdaySoFar, latency, refusals };
}

function Overview({
  problems,
  business,
  now,
}: {
  problems: readonly Problem[];
  business: BusinessProps;
  now: number;
}): ReactNode {
  return (
    <>
      <PageHead title="Overview">
        <AsOf now={now} />
      </PageHead>
      <Verdict problems={problems} />
      <Business {...business} />
    </>
  );
}

interface Problem {
  readonly text: string;
  readonly href: string;
  /** How many items it is about, if not one. */
  readonly items?: number;
}

function itemsIn(problems: readonly Problem[]): number {
  return problems.reduce((sum, { items = 1 }) => sum + items, 0);
}

/** What is wrong now, and where to look. */
function problemsOf(
  waiting: number,
  reports: number,
  { networks, paused, withheld, providers, store, jobs, processes }: SystemStatus,
  wallets: readonly NetworkWallets[],
): Problem[] {
  const found: (Problem | false)[] = [
    waiting > 0 && {
      text: `${counted(waiting, 'item is', 'items are')} in the worklist`,
      href: '/operator/worklist',
      items: waiting,
    },
    reports > 0 && {
      text: counted(reports, 'report of abuse is open', 'reports of abuse are open'),
      href: '/operator/reports',
      items: reports,
    },
    ...wallets
      .filter(({ keys }) => keys.some(runsOut))
      .map(({ network }) => ({
        text: `The gas on ${networkLabel(network)} lasts less than ${hoursWarned} hours`,
        href: `/operator/wallets#${network}`,
      })),
    ...networks
      .filter(({ problems }) => problems.length > 0)
      .map(({ name, problems }) => ({
        text: `${networkLabel(name)} is not offered: ${problems.join('; ')}`,
        href: '/operator/system#networks',
      })),
    ...paused.map(({ operation, calls }) => ({
      text: `${operation} is paused, because ${calls} of its paid calls could not be delivered`,
      href: '/operator/worklist',
    })),
    !store.isUsable && { text: 'The file store cannot be used', href: '/operator/system#store' },
    ...providers
      .filter(({ pausedForMs }) => pausedForMs > 0)
      .map(({ name }) => ({
        text: `The provider ${name} is not called`,
        href: '/operator/system#providers',
      })),
    ...withheld.map((operation) => ({
      text: `${operation} is not available for now, because its provider fails`,
      href: '/operator/system#providers',
    })),
    ...jobs
      .filter(({ isLate }) => isLate)
      .map(({ name }) => ({ text: `The job ${name} is late`, href: '/operator/system#jobs' })),
    !processes.some(({ isAlive }) => isAlive) && {
      text: 'No process has a heartbeat',
      href: '/operator/system#processes',
    },
  ];
  return found.filter((one) => one !== false);
}

function counted(count: number, one: string, several: string): string {
  if (count === 1) return `1 ${one}`;
  return `${count >= countedMax ? 'At least ' : ''}${count} ${several}`;
}

function Verdict({ problems }: { problems: readonly Problem[] }): ReactNode {
  if (problems.length === 0) {
    return (
      <section className="notice good" aria-labelledby="verdict">
        <h2 id="verdict">All clear</h2>
        <p>
          The worklist is empty, no report is open, gas lasts, and networks, file store, providers and jobs
          work.
        </p>
      </section>
    );
  }
  const title = counted(itemsIn(problems), 'item needs attention', 'items need attention');
  return (
    <section className="notice wrong" aria-labelledby="verdict">
      <h2 id="verdict">{title}</h2>
      <ul>
        {problems.map(({ text, href }) => (
          <li key={text}>
            <a href={href}>{text}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
