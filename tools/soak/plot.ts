import { figures, type Sample } from './figures';
import type { Trend } from './trend';

const width = 360;
const height = 90;
const gap = { across: 40, down: 56 };
const columns = 2;

/** A small chart for each figure over the time of the run, with an axis that begins at 0. */
export function plot(samples: readonly Sample[], trends: readonly Trend[]): string {
  const rows = Math.ceil(trends.length / columns);
  const [full, tall] = [columns * (width + gap.across) + gap.across, rows * (height + gap.down) + gap.down];
  const charts = trends.map((trend, index) => {
    const x = gap.across + (index % columns) * (width + gap.across);
    const y = gap.down + Math.floor(index / columns) * (height + gap.down);
    return `<g transform="translate(${x} ${y})">${chart(samples, trend)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${full}" height="${tall}" viewBox="0 0 ${full} ${tall}" font-family="sans-serif" font-size="12">`,
    '<title>What the server needs during the soak</title>',
    `<rect width="${full}" height="${tall}" fill="#fff"/>`,
    ...charts,
    '</svg>\n',
  ].join('\n');
}

function chart(samples: readonly Sample[], { name, highest }: Trend): string {
  const { title, unit } = figures[name];
  const end = samples.at(-1)?.seconds ?? 1;
  const top = Math.max(highest, 1);
  const points = samples.map((one) => {
    const x = (one.seconds / end) * width;
    const y = height - (one[name] / top) * height;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return [
    `<text y="-8" fill="#111">${title}: at most ${format(highest)} ${unit}</text>`,
    `<path d="M0 0V${height}H${width}" fill="none" stroke="#999"/>`,
    `<polyline points="${points.join(' ')}" fill="none" stroke="#0b5cad" stroke-width="1.5"/>`,
    `<text x="${width}" y="${height + 16}" text-anchor="end" fill="#555">${(end / 60).toFixed(0)} min</text>`,
  ].join('');
}

export function format(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1);
}
