import type { ReactNode } from 'react';
import { Table } from '@/app/_site/table';
import { currentApp } from '@/lib/app/current';
import type { KeyStatus, NetworkWallets } from '@/lib/operator/console/wallets';
import { formatCoins } from '@/lib/payments/money';
import { networkLabel } from '@/lib/payments/network-offers';
import { consolePage, showPage } from './console-route';
import { GasAmount, runsOut } from './gas';
import { AsOf, Copyable, columnFormat, Empty, formatDuration, Id, PageHead, Tag } from './parts';

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
      <PageHead title="Wallets">
        <AsOf now={now} />
      </PageHead>
      <p>
        Balances are read from the chains when this page loads. A treasury should hold what the ledger says,
        plus what you sent there, minus what you withdrew.
      </p>
      <h2>Treasuries</h2>
      <Treasuries networks={networks} now={now} />
      <h2>Settlement keys</h2>
      <Keys networks={networks} />
    </>
  );
}

function Treasuries({ networks, now }: { networks: readonly NetworkWallets[]; now: number }): ReactNode {
  const onChain = columnFormat(networks.map(({ treasuryAtomic }) => treasuryAtomic ?? 0n));
  const inLedger = columnFormat(networks.map(({ ledgerAtomic }) => ledgerAtomic));
  const difference = columnFormat(networks.map((wallets) => differenceOf(wallets) ?? 0n));
  return (
    <Table
      label="Treasuries"
      columns={[
        { title: 'Network' },
        { title: 'Treasury' },
        { title: 'On chain (USDC)', className: 'number' },
        { title: 'Ledger (USDC)', className: 'number' },
        { title: 'Difference (USDC)', className: 'number' },
        { title: 'Gas left' },
        { title: 'Pending' },
      ]}
      rows={networks.map((wallets) => ({
        key: wallets.network,
        id: wallets.network,
        cells: [
          networkLabel(wallets.network),
          <Copyable key="payTo" value={wallets.payTo} name={`treasury on ${networkLabel(wallets.network)}`}>
            <Id value={wallets.payTo} isShort />
          </Copyable>,
          wallets.treasuryAtomic === null ? (
            <>
              <Tag tone="wrong">unknown</Tag>
              <span className="note">{wallets.problem}</span>
            </>
          ) : (
            onChain(wallets.treasuryAtomic)
          ),
          inLedger(wallets.ledgerAtomic),
          signed(differenceOf(wallets), difference),
          <GasLeft key="gas" wallets={wallets} />,
          pendingOf(wallets, now),
        ],
      }))}
    />
  );
}

/** Null where the balance on the chain is not known. */
function differenceOf({ treasuryAtomic, ledgerAtomic }: NetworkWallets): bigint | null {
  return treasuryAtomic === null ? null : treasuryAtomic - ledgerAtomic;
}

function signed(atomic: bigint | null, format: (atomic: bigint) => string): string {
  return atomic === null ? 'unknown' : `${atomic > 0n ? '+' : ''}${format(atomic)}`;
}

/** How long the key with the least gas lasts. */
function GasLeft({ wallets: { network, keys, gasPerDay, problem } }: { wallets: NetworkWallets }): ReactNode {
  if (problem !== null) return 'unknown';
  if (keys.length === 0) return 'not ours: others settle here';
  const known = keys.map(({ hoursLeft }) => hoursLeft).filter((hours) => hours !== null);
  const total = keys.reduce((sum, { gasAtomic }) => sum + gasAtomic, 0n);
  return (
    <>
      <GasAmount network={network} atomic={total} />{' '}
      {known.length === 0 ? null : <Lasting hours={Math.min(...known)} />}
      <span className="note">{formatCoins(network, gasPerDay)} used in 24 hours</span>
    </>
  );
}

function pendingOf({ pending, oldestPendingAt }: NetworkWallets, now: number): string {
  if (oldestPendingAt === null) return 'none';
  const waiting = formatDuration(now - oldestPendingAt.getTime());
  return pending === 1
    ? `1 transaction, for ${waiting}`
    : `${pending} transactions, the oldest for ${waiting}`;
}

function Keys({ networks }: { networks: readonly NetworkWallets[] }): ReactNode {
  const keys = networks.flatMap(({ network, keys: own }) => own.map((key) => ({ ...key, network })));
  if (keys.length === 0)
    return <Empty>No settlement key of ours is known: others settle the payments.</Empty>;
  return (
    <Table
      label="Settlement keys"
      columns={[
        { title: 'Settlement key' },
        { title: 'Network' },
        { title: 'Gas', className: 'number' },
        { title: 'Lasts' },
        { title: 'Used by process' },
      ]}
      rows={keys.map(
        ({ address, network, gasAtomic, hoursLeft, leasedBy }: KeyStatus & { network: string }) => ({
          key: `${network} ${address}`,
          cells: [
            <Copyable key="address" value={address} name={`settlement key on ${networkLabel(network)}`}>
              <Id value={address} isShort />
            </Copyable>,
            networkLabel(network),
            <GasAmount key="gas" network={network} atomic={gasAtomic} />,
            hoursLeft === null ? (
              'unknown: no gas used in 24 hours'
            ) : (
              <Lasting key="lasts" hours={hoursLeft} />
            ),
            leasedBy === null ? 'no process' : <Id key="lease" value={leasedBy} isShort />,
          ],
        }),
      )}
    />
  );
}

function Lasting({ hours }: { hours: number }): ReactNode {
  const words = hours > 24 * 365 ? 'more than a year' : formatDuration(hours * 3_600_000);
  return <Tag tone={runsOut({ hoursLeft: hours }) ? 'wrong' : 'good'}>{words}</Tag>;
}
