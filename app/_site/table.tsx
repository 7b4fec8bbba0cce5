import type { ReactNode } from 'react';

interface TableProps {
  /** The accessible name. */
  readonly label: string;
  readonly columns: readonly { readonly title: string; readonly className?: string | undefined }[];
  /** One cell per column; the first one is the row header. */
  readonly rows: readonly {
    readonly key: string;
    readonly id?: string;
    readonly cells: readonly ReactNode[];
  }[];
}

/** A table. On a narrow screen the cells of a row are stacked, each after its column title, unless there are only two. */
export function Table({ label, columns, rows }: TableProps): ReactNode {
  const [, ...others] = columns;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="scroll" tabIndex={0} aria-label={label}>
      <table className={columns.length > 2 ? 'stacking' : 'pair'}>
        <thead>
          <tr>
            {columns.map(({ title, className }) => (
              <th key={title} scope="col" className={className}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, id, cells: [name, ...cells] }) => (
            <tr key={key} id={id}>
              <th scope="row">{name}</th>
              {others.map(({ title, className }, at) => (
                <td key={title} className={className} data-title={title}>
                  {cells[at]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
