/** Formats rows as a plain-text table whose columns are as wide as their longest cell. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const print = (row: readonly string[]) =>
    widths
      .map((width, at) => (row[at] ?? '').padEnd(width))
      .join('  ')
      .trimEnd();
  return [print(heads), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(print)].join('\n');
}
