import type { ReactNode } from 'react';
import { Table } from '@/app/_site/table';
import { type CallLatency, type DayRefusals, latencyCalls } from '@/lib/operator/figures/call-figures';
import { type DayFigures, type Figures, totalOf } from '@/lib/operator/figures/daily';
import { formatCoins } from '@/lib/payments/money';
import { BarPlot } from '../_plots/plot';
import { seriesOf, usdcSeries } from '../_plots/series';
import { Empty, formatUsdc } from './parts';

export interface BusinessProps {
  /** Oldest first, ending with today. */
  readonly days: readonly DayFigures[];
  /** Yesterday up to this time of the day. */
  readonly yesterdaySoFar: Figures;
  readonly latency: readonly CallLatency[];
  readonly refusals: readonly DayRefusals[];
}

/** Money today against yesterday, and the last weeks. */
export function Business({ days, yesterdaySoFar, latency, refusals }: BusinessProps): ReactNode {
  return (
    <>
      <h2>Today (UTC)</h2>
      <Today days={days} yesterdaySoFar={yesterdaySoFar} />
      <h2>The last {days.length} days</h2>
      <Plots days={days} refusals={refusals} />
      <h2>Gas vs. revenue, {days.length} days</h2>
      <Gas days={days} />
      <h2>Latency</h2>
      <Latency latency={latency} />
    </>
  );
}

function Today({ days, yesterdaySoFar }: Pick<BusinessProps, 'days' | 'yesterdaySoFar'>): ReactNode {
  const [yesterday, today] = days.slice(-2).map(({ figures }) => figures);
  if (!yesterday || !today) return null;
  const money = (figures: Figures) => formatUsdc(totalOf(figures.revenue));
  const received = (figures: Figures) => formatUsdc(totalOf(figures.received));
  const count = (kind: string) => (figures: Figures) => String(figures.calls[kind] ?? 0);
  const rows: [title: string, format: (figures: Figures) => string, href?: string][] = [
    ['Revenue', money],
    ['Received on chain', received],
    ['Paid calls', count('settled'), '/operator/calls'],
    ['Charged, no result', count('kept'), '/operator/calls?state=kept'],
    ['Refunded', count('refunded'), '/operator/calls?state=refunded'],
  ];
  return (
    <dl className="figures">
      {rows.map(([title, format, href]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>
            <span className="value">
              {href === undefined ? format(today) : <a href={href}>{format(today)}</a>}
            </span>
            <span className="note">
              Yesterday: {format(yesterdaySoFar)} at this time, {format(yesterday)} total
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Plots({ days, refusals }: Pick<BusinessProps, 'days' | 'refusals'>): ReactNode {
  const names = days.map(({ day }) => day);
  const reasons = [...new Set(refusals.map(({ reason }) => reason))];
  const refused = (day: string, reason: string) =>
    refusals.find((one) => one.day === day && one.reason === reason)?.count ?? 0;
  const usdc = (value: number) => formatUsdc(BigInt(Math.round(value * 1e6)));
  return (
    <div className="plots">
      <BarPlot
        data={{
          id: 'by-operation',
          title: 'Revenue by operation, in USDC',
          days: names,
          series: usdcSeries(days, ({ revenue }) => revenue),
          format: usdc,
        }}
      />
      <BarPlot
        data={{
          id: 'by-network',
          title: 'Received by network, in USDC',
          days: names,
          series: usdcSeries(days, ({ received }) => received),
          format: usdc,
        }}
      />
      <BarPlot
        data={{
          id: 'refusals',
          title: 'Refused payments by reason',
          days: names,
          series: seriesOf(names, refused, reasons),
          format: (value) => value.toLocaleString('en-US'),
          isCount: true,
        }}
      />
    </div>
  );
}

/** The service does not know the prices of coins, so gas is compared with the money received on the same network. */
function Gas({ days }: Pick<BusinessProps, 'days'>): ReactNode {
  const sum = (network: string, pick: (figures: Figures) => Readonly<Record<string, bigint>>) =>
    days.reduce((total, { figures }) => total + (pick(figures)[network] ?? 0n), 0n);
  const networks = [
    ...new Set(days.flatMap(({ figures }) => Object.keys({ ...figures.received, ...figures.gas }))),
  ];
  if (networks.length === 0) return <Empty>No payments yet.</Empty>;
  return (
    <Table
      label="Gas vs. revenue"
      columns={[
        { title: 'Network' },
        { title: 'Received', className: 'number' },
        { title: 'Gas', className: 'number' },
        { title: 'Wasted', className: 'number' },
        { title: 'Gas for 1 USDC', className: 'number' },
      ]}
      rows={networks.sort().map((network) => {
        const received = sum(network, (figures) => figures.received);
        const gas = sum(network, (figures) => figures.gas);
        return {
          key: network,
          cells: [
            network,
            formatUsdc(received),
            formatCoins(network, gas),
            formatCoins(
              network,
              sum(network, (figures) => figures.gasInVain),
            ),
            received > 0n ? formatCoins(network, (gas * 1_000_000n) / received) : 'nothing received',
          ],
        };
      })}
    />
  );
}

function Latency({ latency }: Pick<BusinessProps, 'latency'>): ReactNode {
  if (latency.length === 0) return <Empty>No paid calls yet.</Empty>;
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
  return (
    <>
      <p>
        From the accepted payment to the stored response, of the newest {latencyCalls.toLocaleString('en-US')}{' '}
        calls. For step timings see <code>/metrics</code>.
      </p>
      <Table
        label="Latency"
        columns={[
          { title: 'Operation' },
          { title: 'Calls', className: 'number' },
          { title: 'Median', className: 'number' },
          { title: 'p95', className: 'number' },
        ]}
        rows={latency.map(({ operation, calls, medianMs, slowMs }) => ({
          key: operation,
          cells: [operation, calls, seconds(medianMs), seconds(slowMs)],
        }))}
      />
    </>
  );
}
