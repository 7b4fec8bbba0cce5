import type { ReactNode } from 'react';
import { Table } from '@/app/_site/table';
import { currentApp } from '@/lib/app/current';
import type { SystemStatus } from '@/lib/operator/console/system';
import { networkLabel } from '@/lib/payments/network-offers';
import { consolePage, showPage } from './console-route';
import { AsOf, Empty, formatDuration, Id, Moment, PageHead, Tag } from './parts';

/** `GET /operator/system` */
export const showSystem = consolePage(async (context) =>
  showPage(
    context,
    'System',
    <System status={await currentApp().console.readSystem()} now={currentApp().clock.now()} />,
  ),
);

function System({ status, now }: { status: SystemStatus; now: number }): ReactNode {
  return (
    <>
      <PageHead title="System">
        <AsOf now={now} />
      </PageHead>
      <p>
        This is how the process that served this page sees networks, providers and the store.{' '}
        <code>npm run tuppence -- doctor</code> checks more and says what to do.
      </p>
      <h2 id="networks">Networks</h2>
      <Networks networks={status.networks} />
      <h2 id="store">Store</h2>
      <p>
        {status.store.kind} <StatusTag isGood={status.store.isUsable} words={['usable', 'cannot be used']} />
      </p>
      <h2 id="providers">Providers</h2>
      <Providers providers={status.providers} />
      <h2 id="jobs">Jobs</h2>
      <Jobs jobs={status.jobs} now={now} />
      <h2 id="processes">Processes</h2>
      <Processes processes={status.processes} />
    </>
  );
}

function StatusTag({
  isGood,
  words: [good, wrong],
}: {
  isGood: boolean;
  words: readonly [good: string, wrong: string];
}): ReactNode {
  return <Tag tone={isGood ? 'good' : 'wrong'}>{isGood ? good : wrong}</Tag>;
}

function Networks({ networks }: Pick<SystemStatus, 'networks'>): ReactNode {
  return (
    <Table
      label="Networks"
      columns={[{ title: 'Network' }, { title: 'Status' }, { title: 'Problems' }]}
      rows={networks.map(({ name, problems }) => ({
        key: name,
        cells: [
          networkLabel(name),
          <StatusTag key="status" isGood={problems.length === 0} words={['offered', 'not offered']} />,
          problems.join('; ') || 'none',
        ],
      }))}
    />
  );
}

function Providers({ providers }: Pick<SystemStatus, 'providers'>): ReactNode {
  return (
    <Table
      label="Providers"
      columns={[{ title: 'Provider' }, { title: 'Status' }, { title: 'Key' }]}
      rows={providers.map(({ name, isConfigured, isSandbox, pausedForMs }) => ({
        key: name,
        cells: [
          name === 'reader' ? 'reader (our own browser)' : name,
          providerTag(isConfigured, pausedForMs),
          isSandbox ? 'test key: its results are fictional' : '',
        ],
      }))}
    />
  );
}

function providerTag(isConfigured: boolean, pausedForMs: number): ReactNode {
  if (!isConfigured) return <Tag tone="plain">not configured</Tag>;
  if (pausedForMs === 0) return <Tag tone="good">in use</Tag>;
  return <Tag tone="wrong">not called for {formatDuration(pausedForMs)}</Tag>;
}

function Jobs({ jobs, now }: Pick<SystemStatus, 'jobs'> & { now: number }): ReactNode {
  return (
    <Table
      label="Jobs"
      columns={[{ title: 'Job' }, { title: 'Status' }, { title: 'Runs' }, { title: 'Next run' }]}
      rows={jobs.map(({ name, everyMs, dueAt, isLate }) => ({
        key: name,
        cells: [
          name,
          <StatusTag key="status" isGood={!isLate} words={['on time', 'late']} />,
          `every ${formatDuration(everyMs).replace(/^1 /, '')}, if there is work`,
          dueAt === null ? 'never ran' : dueAt.getTime() <= now ? 'due' : <Moment key="due" at={dueAt} />,
        ],
      }))}
    />
  );
}

function Processes({ processes }: Pick<SystemStatus, 'processes'>): ReactNode {
  if (processes.length === 0) return <Empty>Processes that use this database would be listed here.</Empty>;
  return (
    <Table
      label="Processes"
      columns={[
        { title: 'Process' },
        { title: 'Status' },
        { title: 'Heartbeat valid until' },
        { title: 'Settles on' },
      ]}
      rows={processes.map(({ id, aliveUntil, isAlive, settles }) => ({
        key: id,
        cells: [
          <Id key="id" value={id} isShort />,
          <Tag key="status" tone={isAlive ? 'good' : 'plain'}>
            {isAlive ? 'alive' : 'ended'}
          </Tag>,
          <Moment key="until" at={aliveUntil} />,
          settles.map(networkLabel).join(', ') || 'no network: it has no settlement key',
        ],
      }))}
    />
  );
}
