import type { ReactNode } from 'react';
import { type ErrorCode, errors } from '@/lib/catalog/errors/codes';
import { charged, nextSteps } from '@/lib/discovery/llms';
import { Table } from '../table';
import { capital } from '../words';

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
          <ErrorLink key="code" code={code} href={`/docs/errors#${code}`} />,
          ...(isBrief ? [] : [happened(code)]),
          ...outcomeCells(code),
        ],
      }))}
    />
  );
}

/** The status of an error and its code. */
export function ErrorLink({ code, href }: { code: ErrorCode; href: string }): ReactNode {
  return (
    <a className="error-link" href={href}>
      <code>{`${errors[code].status} ${code}`}</code>
    </a>
  );
}

/** What happened. Whether it was charged stands in a column of its own. */
export function happened(code: ErrorCode): string {
  return errors[code].message.replace(' Nothing was charged.', '');
}

/** What happened to the money, and what to do next. Most errors cost nothing, so the others are marked. */
export function outcomeCells(code: ErrorCode): readonly [ReactNode, ReactNode] {
  const { payment, retry } = errors[code];
  const words = capital(charged[payment]);
  return [
    payment === 'none' ? words : <strong key="charged">{words}</strong>,
    <Next key="next" retry={retry} />,
  ];
}

export function Next({ retry }: { retry: keyof typeof nextSteps }): ReactNode {
  return <span className="next-step">{capital(nextSteps[retry])}</span>;
}

export function byStatus(codes: readonly ErrorCode[]): readonly ErrorCode[] {
  return [...codes].sort((one, other) => errors[one].status - errors[other].status);
}
