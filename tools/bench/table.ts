/** One line of the table: two measurements, and whether the result meets the aim. */
export interface Row {
  readonly name: string;
  readonly ours: string;
  readonly baseline: string;
  /** Ours divided by the baseline's; null if the ratio is meaningless. */
  readonly ratio: number | null;
  readonly aim: string;
  /** Null if there is no aim. */
  readonly isMet: boolean | null;
}

const heads = ['row', 'ours', 'baseline', 'ratio', 'aim', 'met'];

export function formatTable(rows: readonly Row[]): string {
  const lines = [
    heads,
    ...rows.map((row) => [
      row.name,
      row.ours,
      row.baseline,
      row.ratio === null ? '' : formatRatio(row.ratio),
      row.aim,
      row.isMet === null ? '' : row.isMet ? 'yes' : 'NO',
    ]),
  ];
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const print = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    print(heads),
    widths.map((width) => '-'.repeat(width)).join('  '),
    ...lines.slice(1).map(print),
  ].join('\n');
}

function formatRatio(ratio: number): string {
  if (!Number.isFinite(ratio)) return 'none to divide by';
  return `${ratio.toFixed(ratio < 10 ? 2 : 1)}x`;
}
