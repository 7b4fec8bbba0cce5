import type { ReactNode } from 'react';
import { Table } from '@/app/_site/table';
import { type CallLatency, type DayRefusals, latencyCalls } from '@/lib/operator/figures/call-figures';
import { type DayFigures, type Figures, totalOf } from '@/lib/operator/figures/daily';
import { networkLabel } from '@/lib/payments/network-offers';
import { BarPlot } from '../_plots/plot';
import { seriesOf, usdcSeries } from '../_plots/series';
import { GasAmount } from './gas';
import { columnFormat, Empty, formatUsdc } from './parts';
import { stateWords } from './state-tag';

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
      <p className="note">Compared with the same time yesterday.</p>
      <Today days={days} yesterdaySoFar={yesterdaySoFar} />
      <h2>Last {days.length} days</h2>
      <Plots days={days} refusals={refusals} />
      <h2>Gas vs. revenue, {days.length} days</h2>
      <Gas days={days} />
      <h2>Latency</h2>
      <Latency latency={latency} />
    </>
  );
}

function Today({ days, yesterdaySoFar }: Pick<BusinessProps, 'days' | 'yesterdaySoFar'>): ReactNode {
  const today = days.at(-1);
  if (!today) return null;
  const usdc = (value: number) => formatUsdc(BigInt(value));
  const count = (value: number) => value.toLocaleString('en-US');
  const calls = (state: string) => (figures: Figures) => figures.calls[state] ?? 0;
  const since = `from=${today.day}`;
  const figures: Figure[] = [
    { title: 'Revenue', href: since, value: ({ revenue }) => Number(totalOf(revenue)), format: usdc },
    {
      title: 'Received on chain',
      href: since,
      value: ({ received }) => Number(totalOf(received)),
      format: usdc,
    },
    { title: 'Paid calls', href: since, value: calls('settled'), format: count },
    { title: 'Charged, no result', href: `state=kept&${since}`, value: calls('kept'), format: count },
    { title: 'Refunded', href: 'state=refunded', value: calls('refunded'), format: count },
  ];
  return (
    <ul className="tiles">
      {figures.map(({ title, href, value, format }) => (
        <li key={title}>
          <a href={`/operator/calls?${href}`}>{title}</a>
          <Value text={format(value(today.figures))} />
          <Delta now={value(today.figures)} before={value(yesterdaySoFar)} format={format} />
        </li>
      ))}
    </ul>
  );
}

/** A figure of today, and the calls that it is about. */
interface Figure {
  readonly title: string;
  /** The filters of the list of calls. */
  readonly href: string;
  readonly value: (figures: Figures) => number;
  readonly format: (value: number) => string;
}

/** A number, with its unit in smaller type. */
function Value({ text }: { text: string }): ReactNode {
  const [number, unit] = text.split(' ');
  return (
    <span className="value">
      {number}
      {unit === undefined ? null : <span className="unit"> {unit}</span>}
    </span>
  );
}

/** A figure of today against yesterday at this time. */
function Delta({
  now,
  before,
  format,
}: {
  now: number;
  before: number;
  format: Figure['format'];
}): ReactNode {
  if (now === before) return <span className="note">No change</span>;
  if (before === 0) return <span className="note">None yesterday</span>;
  const percent = Math.round(((now - before) / before) * 100);
  const [number] = format(before).split(' ');
  return (
    <span className="note">
      {percent === 0 ? null : (
        <strong>
          <span aria-hidden="true">{percent > 0 ? '↑' : '↓'}</span>
          <span className="hidden">{percent > 0 ? 'up' : 'down'}</span>{' '}
          {Math.abs(percent).toLocaleString('en-US')}%
        </strong>
      )}{' '}
      from {number}
    </span>
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
          series: usdcSeries(days, ({ received }) => received, networkLabel),
          format: usdc,
        }}
      />
      <BarPlot
        data={{
          id: 'refusals',
          title: 'Refused payments by reason',
          days: names,
          series: seriesOf(names, refused, reasons, stateWords),
          format: (value) => value.toLocaleString('en-US'),
          isCount: true,
        }}
      />
    </div>
  );
}

/** Gas is compared with the money received on the same network. */
function Gas({ days }: Pick<BusinessProps, 'days'>): ReactNode {
  const sum = (network: string, pick: (figures: Figures) => Readonly<Record<string, bigint>>) =>
    days.reduce((total, { figures }) => total + (pick(figures)[network] ?? 0n), 0n);
  const networks = [
    ...new Set(days.flatMap(({ figures }) => Object.keys({ ...figures.received, ...figures.gas }))),
  ];
  if (networks.length === 0) return <Empty>No payments yet.</Empty>;
  const received = (network: string) => sum(network, (figures) => figures.received);
  const format = columnFormat(networks.map(received));
  return (
    <Table
      label="Gas vs. revenue"
      columns={[
        { title: 'Network' },
        { title: 'Received (USDC)', className: 'number' },
        { title: 'Gas', className: 'number' },
        { title: 'Wasted', className: 'number' },
        { title: 'Gas for 1 USDC', className: 'number' },
      ]}
      rows={networks.sort().map((network) => {
        const gas = sum(network, (figures) => figures.gas);
        return {
          key: network,
          cells: [
            networkLabel(network),
            format(received(network)),
            <GasAmount key="gas" network={network} atomic={gas} />,
            <GasAmount
              key="wasted"
              network={network}
              atomic={sum(network, (figures) => figures.gasInVain)}
            />,
            received(network) > 0n ? (
              <GasAmount
                key="per-usdc"
                network={network}
                atomic={(gas * 1_000_000n) / received(network)}
                digits={2}
              />
            ) : (
              'nothing received'
            ),
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
