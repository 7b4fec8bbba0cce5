import type { ReactNode } from 'react';
import { charged, nextSteps } from '@/lib/discovery/llms';
import { type ErrorCode, errors } from '@/lib/errors/codes';
import { Table } from '../table';

const columns = [
  { title: 'Error' },
  { title: 'What happened' },
  { title: 'Charged?' },
  { title: 'Next' },
] as const;

/** Errors with what they mean for the money. */
export function ErrorTable({ label, codes }: { label: string; codes: readonly ErrorCode[] }): ReactNode {
  return (
    <Table
      label={label}
      columns={columns}
      rows={[...codes]
        .sort((one, other) => errors[one].status - errors[other].status)
        .map((code) => ({
          key: code,
          cells: [
            <a key="code" className="code" href={`/docs/errors#${code}`}>
              {errors[code].status} <code>{code}</code>
            </a>,
            errors[code].message,
            charged[errors[code].payment],
            nextSteps[errors[code].retry],
          ],
        }))}
    />
  );
}
