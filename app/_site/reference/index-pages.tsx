import type { ReactNode } from 'react';
import { categories } from '@/lib/catalog/categories';
import { commonPath, referencePath } from '@/lib/discovery/contents';
import type { Contents } from '@/lib/discovery/openapi/document';
import { isPaid } from '@/lib/discovery/remote-tools';
import { priceOf } from '../price';
import { type Call, groups } from './calls';
import { prose } from './field-list';

/** The pages that lead to the pages of the calls. */

/** Every call, by group. */
export function ReferenceIndex(): ReactNode {
  return (
    <>
      <h1>Reference</h1>
      <p className="lead">
        Every call with its price. <a href={commonPath}>What all calls have in common</a>: payment, retries,
        lists and errors. For programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).
      </p>
      {groups.map(({ name, title, path, calls }) => (
        <section key={name} aria-labelledby={name}>
          <h2 id={name}>
            <a href={path}>{title}</a>
          </h2>
          <CallList calls={calls} />
        </section>
      ))}
    </>
  );
}

/** The calls of a part. The anchors date from when this page described all of them. */
export function GroupPage({ part, contents }: { part: string; contents: Contents }): ReactNode {
  const calls = callsOf(contents);
  return (
    <>
      <h1>{titleOfGroup(contents)}</h1>
      <p className="lead">{descriptionOfGroup(contents)}</p>
      <CallList calls={calls} hasAnchors isLong />
      <p>
        For programs: <a href={`/${part}/openapi.json`}>/{part}/openapi.json</a> (OpenAPI 3.1).
      </p>
    </>
  );
}

const callsOf = ({ operations, freeOperations }: Contents): readonly Call[] => [
  ...operations,
  ...freeOperations,
];

export function titleOfGroup(contents: Contents): string {
  const [first] = callsOf(contents);
  return first ? categories[first.category].title : 'Reference';
}

export function descriptionOfGroup(contents: Contents): string {
  const [first] = callsOf(contents);
  return first ? categories[first.category].description : 'No calls are available here at the moment.';
}

interface CallListProps {
  readonly calls: readonly Call[];
  readonly hasAnchors?: boolean;
  /** Shows what each call does. */
  readonly isLong?: boolean;
}

function CallList({ calls, hasAnchors = false, isLong = false }: CallListProps): ReactNode {
  return (
    <ul className="calls">
      {calls.map((call) => (
        <li key={call.id} id={hasAnchors ? call.id : undefined}>
          <a href={referencePath(call)}>{call.title}</a>
          <span className="amount">{priceOf(call)}</span>
          <code>
            {call.method} {isPaid(call) ? call.paths.x402 : call.path}
          </code>
          {isLong ? <p>{prose(call.summary)}</p> : null}
        </li>
      ))}
    </ul>
  );
}
