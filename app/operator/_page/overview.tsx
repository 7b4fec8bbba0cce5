import type { ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import type { SystemStatus } from '@/lib/operator/console/system';
import { consolePage, showPage } from './console-route';
import { Business, type BusinessProps } from './overview-figures';

/** The worklist is counted up to this. */
const countedMax = 1_000;
/** So many days are plotted. */
const plottedDays = 30;
const dayMs = 86_400_000;

/** `GET /operator`: whether anything is wrong, then today's money, then the last weeks. */
export const showOverview = consolePage(async (asked) => {
  const [waiting, system, business] = await Promise.all([
    currentApp().console.readWorklist(countedMax),
    currentApp().console.readSystem(),
    readBusiness(),
  ]);
  return showPage(
    asked,
    'Overview',
    <Overview waiting={waiting.length} system={system} business={business} />,
  );
});

async function readBusiness(): Promise<BusinessProps> {
  const { clock, console } = currentApp();
  const now = clock.now();
  const today = Math.floor(now / dayMs) * dayMs;
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
  waiting,
  system,
  business,
}: {
  waiting: number;
  system: SystemStatus;
  business: BusinessProps;
}): ReactNode {
  return (
    <>
      <h1>Overview</h1>
      <Verdict problems={problemsOf(waiting, system)} />
      <Business {...business} />
    </>
  );
}

interface Problem {
  readonly text: string;
  readonly href: string;
}

/** What is wrong now, and where to look. */
function problemsOf(
  waiting: number,
  { networks, providers, store, jobs, processes }: SystemStatus,
): Problem[] {
  const items = waiting >= countedMax ? `${countedMax} items or more wait` : `${waiting} items wait`;
  const found: (Problem | false)[] = [
    waiting > 0 && {
      text: `${waiting === 1 ? 'One item waits' : items} in the worklist`,
      href: '/operator/worklist',
    },
    ...networks
      .filter(({ problems }) => problems.length > 0)
      .map(({ name, problems }) => ({
        text: `${name} is not offered: ${problems.join('; ')}`,
        href: '/operator/system#networks',
      })),
    !store.isUsable && { text: 'The file store cannot be used', href: '/operator/system#store' },
    ...providers
      .filter(({ pausedForMs }) => pausedForMs > 0)
      .map(({ name }) => ({
        text: `The provider ${name} refuses our calls`,
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

function Verdict({ problems }: { problems: readonly Problem[] }): ReactNode {
  if (problems.length === 0) {
    return (
      <section className="verdict" aria-labelledby="verdict">
        <h2 id="verdict">Nothing is wrong</h2>
        <p>The worklist is empty, and every network, the store, the providers and the jobs work.</p>
      </section>
    );
  }
  const title = problems.length === 1 ? 'One thing is wrong' : `${problems.length} things are wrong`;
  return (
    <section className="verdict wrong" aria-labelledby="verdict">
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
