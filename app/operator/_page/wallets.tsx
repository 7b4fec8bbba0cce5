import type { ReactNode } from 'react';
import { Table } from '@/app/_site/table';
import { currentApp } from '@/lib/app/current';
import type { KeyStatus, NetworkWallets } from '@/lib/operator/console/wallets';
import { formatCoins } from '@/lib/payments/money';
import { consolePage, showPage } from './console-route';
import { runsOut } from './gas';
import { Empty, Facts, formatDuration, formatUsdc, Id, Tag } from './parts';

/** `GET /operator/wallets` */
export const showWallets = consolePage(async (context) =>
  showPage(
    context,
    'Wallets',
    <Wallets networks={await currentApp().console.readWallets()} now={currentApp().clock.now()} />,
  ),
);

function Wallets({ networks, now }: { networks: readonly NetworkWallets[]; now: number }): ReactNode {
  return (
    <>
      <h1>Wallets</h1>
      <p>
        Balances are read from the chains for this page. The treasury holds what the ledger says, plus what
        you sent there, less what you took out.
      </p>
      {networks.map((wallets) => (
        <section key={wallets.network} aria-labelledby={wallets.network}>
          <h2 id={wallets.network}>{wallets.network}</h2>
          {wallets.problem === null ? null : (
            <p>
              <Tag tone="wrong">balances are not known</Tag> {wallets.problem}
            </p>
          )}
          <Facts
            entries={[
              ['Treasury', <Id key="payTo" value={wallets.payTo} />],
              ['On chain', wallets.treasuryAtomic === null ? 'unknown' : formatUsdc(wallets.treasuryAtomic)],
              ['Ledger', formatUsdc(wallets.ledgerAtomic)],
              ['Difference', differenceOf(wallets)],
              ['Gas in 24 hours', formatCoins(wallets.network, wallets.gasPerDay)],
              ['Pending', pendingOf(wallets, now)],
            ]}
          />
          <Keys network={wallets.network} keys={wallets.keys} />
        </section>
      ))}
    </>
  );
}

function differenceOf({ treasuryAtomic, ledgerAtomic }: NetworkWallets): string {
  if (treasuryAtomic === null) return 'unknown';
  const difference = treasuryAtomic - ledgerAtomic;
  if (difference === 0n) return 'none';
  return difference > 0n
    ? `${formatUsdc(difference)} more than the ledger`
    : `${formatUsdc(-difference)} less than the ledger`;
}

function pendingOf({ pending, oldestPendingAt }: NetworkWallets, now: number): string {
  if (oldestPendingAt === null) return 'none';
  const waiting = formatDuration(now - oldestPendingAt.getTime());
  return pending === 1
    ? `1 transaction, for ${waiting}`
    : `${pending} transactions, the oldest for ${waiting}`;
}

function Keys({ network, keys }: { network: string; keys: readonly KeyStatus[] }): ReactNode {
  if (keys.length === 0) return <Empty>No settlement key of ours: others settle here.</Empty>;
  return (
    <Table
      label={`Settlement keys on ${network}`}
      columns={[
        { title: 'Settlement key' },
        { title: 'Gas' },
        { title: 'Lasts' },
        { title: 'Used by process' },
      ]}
      rows={keys.map(({ address, gasAtomic, hoursLeft, leasedBy }) => ({
        key: address,
        cells: [
          <Id key="address" value={address} />,
          formatCoins(network, gasAtomic),
          <Lasting key="lasts" hours={hoursLeft} />,
          leasedBy === null ? 'no process now' : <Id key="lease" value={leasedBy} />,
        ],
      }))}
    />
  );
}

function Lasting({ hours }: { hours: number | null }): ReactNode {
  if (hours === null) return 'unknown: none was used in 24 hours';
  const words = hours > 24 * 365 ? 'more than a year' : formatDuration(hours * 3_600_000);
  return <Tag tone={runsOut({ hoursLeft: hours }) ? 'wrong' : 'good'}>{words}</Tag>;
}
