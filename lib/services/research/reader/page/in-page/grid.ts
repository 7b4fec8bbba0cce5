/**
 * Repeats cells that span rows, because Markdown has no such cells: each cell stays in its column of the table's
 * grid, whatever spans beside it.
 */
export function repeatSpannedCells(table: Element): void {
  const page = table.ownerDocument;
  const spanMax = 50;
  // The foot comes last wherever it stands in the source.
  for (const foot of table.querySelectorAll(':scope > tfoot')) table.append(foot);

  function readSpan(cell: Element, name: string): number {
    const value = Number(cell.getAttribute(name) ?? 1);
    return Number.isInteger(value) && value >= 0 ? Math.min(value, spanMax) : 1;
  }

  const sections = [table, ...table.querySelectorAll(':scope > thead, :scope > tbody, :scope > tfoot')];
  for (const section of sections) {
    const rows = [...section.children].filter(({ nodeName }) => nodeName === 'TR');
    /** The cells that still run down, by column. */
    const running = new Map<number, { cell: Element; left: number }>();
    for (const [at, row] of rows.entries()) {
      const cells: Element[] = [];
      let column = 0;
      const takeRunning = () => {
        for (let run = running.get(column); run; run = running.get(column)) {
          cells.push(run.cell.cloneNode(true) as Element);
          run.left -= 1;
          if (run.left === 0) running.delete(column);
          column += 1;
        }
      };
      for (const cell of [...row.children]) {
        takeRunning();
        const columns = Math.max(1, readSpan(cell, 'colspan'));
        const down = readSpan(cell, 'rowspan');
        // Zero means to the end of the section.
        const left = (down === 0 ? rows.length - at : down) - 1;
        cell.removeAttribute('rowspan');
        cell.removeAttribute('colspan');
        for (let offset = 0; offset < columns; offset += 1) {
          const part = offset === 0 ? cell : page.createElement(cell.nodeName);
          cells.push(part);
          if (left > 0) running.set(column, { cell: part.cloneNode(true) as Element, left });
          column += 1;
        }
      }
      takeRunning();
      row.replaceChildren(...cells);
    }
  }
}
