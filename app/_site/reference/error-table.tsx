import type { ReactNode } from 'react';
import { type ErrorCode, errors } from '@/lib/catalog/errors/codes';
import { charged, nextSteps } from '@/lib/discovery/llms';
import { Table } from '../table';

const columns = [
  { title: 'Error' },
  { title: 'What happened' },
  { title: 'Charged?' },
  { title: 'Next' },
] as const;

interface ErrorTableProps {
  readonly label: string;
  readonly codes: readonly ErrorCode[];
  /** Leaves out what happened, which the page of each link says. */
  readonly isBrief?: boolean;
}

/** Errors with what they mean for the money. */
export function ErrorTable({ label, codes, isBrief = false }: ErrorTableProps): ReactNode {
  return (
    <Table
      label={label}
      columns={columns.filter(({ title }) => !isBrief || title !== 'What happened')}
      rows={byStatus(codes).map((code) => ({
        key: code,
        cells: [
          <a key="code" className="code" href={`/docs/errors#${code}`}>
            {errors[code].status} <code>{code}</code>
          </a>,
          ...(isBrief ? [] : [errors[code].message]),
          charged[errors[code].payment],
          nextSteps[errors[code].retry],
        ],
      }))}
    />
  );
}

export function byStatus(codes: readonly ErrorCode[]): readonly ErrorCode[] {
  return [...codes].sort((one, other) => errors[one].status - errors[other].status);
}
