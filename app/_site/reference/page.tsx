import type { ReactNode } from 'react';
import { freeOperations, operations } from '@/lib/catalog';
import { curl } from '@/lib/discovery/samples';
import { methodOf } from '@/lib/discovery/typed-clients/methods';
import { pythonProgram, typescriptProgram } from '@/lib/discovery/typed-clients/programs';
import { PartList } from '../docs-pages';
import { Sample } from '../frame';
import { Table } from '../table';
import {
  type Answer,
  type Described,
  type Entry,
  entriesOf,
  type OpenApi,
  type Parameter,
  resolve,
  type Schema,
} from './described';
import { fieldsOf } from './fields';

/** The reference, made from the OpenAPI documents (docs/decisions/reference-renderer.md). */

export function ReferenceIndex(): ReactNode {
  return (
    <>
      <h1>Reference</h1>
      <p>
        Every call, made from <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).
      </p>
      <PartList />
    </>
  );
}

export function ReferencePage({
  part,
  document,
  publicUrl,
}: {
  part: string;
  document: OpenApi;
  publicUrl: string;
}): ReactNode {
  const entries = entriesOf(document);
  return (
    <>
      <h1>Reference: {part}</h1>
      <p>
        Made from <a href={`/${part}/openapi.json`}>/{part}/openapi.json</a> (OpenAPI 3.1).
      </p>
      {entries.length === 0 ? <p>No calls are available here at the moment.</p> : null}
      <ul>
        {entries.map(({ id, routes }) => (
          <li key={id}>
            <a href={`#${id}`}>{id}</a>: {routes[0]?.item.summary}
          </li>
        ))}
      </ul>
      {entries.map((entry) => (
        <EntrySection key={entry.id} entry={entry} document={document} publicUrl={publicUrl} />
      ))}
    </>
  );
}

function EntrySection({
  entry,
  document,
  publicUrl,
}: {
  entry: Entry;
  document: OpenApi;
  publicUrl: string;
}) {
  const { id, routes } = entry;
  const [first] = routes;
  if (!first) return null;
  const { item } = first;
  const sold = [...operations, ...freeOperations].find((operation) => operation.id === id);
  const body = item.requestBody?.content['application/json'];
  const done = resolve<Answer>(document, item.responses['200']).content?.['application/json'];
  const [example] = Object.values(done?.examples ?? {}).map((one) =>
    resolve<{ value: unknown }>(document, one),
  );
  return (
    <section className="entry" aria-labelledby={id}>
      <h2 id={id}>{id}</h2>
      <p>{item.summary}</p>
      <ul className="routes">
        {routes.map(({ method, path, item }) => (
          <li key={path}>
            <code>
              {method} {path}
            </code>
            <span className="note">{item.description}</span>
          </li>
        ))}
      </ul>
      <Parameters routes={routes} document={document} />
      {body && item.requestBody?.required ? (
        <Fields title={`Body of ${id}`} heading="Body" document={document} schema={body.schema} />
      ) : null}
      {sold ? (
        <Sample
          label={`Call of ${id} with curl`}
          language="bash"
          text={curl(sold, first.path, { publicUrl })}
        />
      ) : null}
      {sold ? <Programs id={id} publicUrl={publicUrl} /> : null}
      {done ? (
        <Fields title={`Response of ${id}`} heading="Response" document={document} schema={done.schema} />
      ) : null}
      {example ? (
        <Sample
          label={`Example response of ${id}`}
          language="json"
          text={JSON.stringify(example.value, null, 2)}
        />
      ) : null}
      <Errors routes={routes} document={document} />
    </section>
  );
}

/** The call in TypeScript and Python, folded because most readers want one of them. */
function Programs({ id, publicUrl }: { id: string; publicUrl: string }): ReactNode {
  const method = methodOf(id);
  const python = method && pythonProgram(method, { publicUrl });
  if (!method) return null;
  return (
    <>
      <details>
        <summary>TypeScript</summary>
        <Sample
          label={`Call of ${id} in TypeScript`}
          language="typescript"
          text={typescriptProgram(method, { publicUrl })}
        />
      </details>
      {python ? (
        <details>
          <summary>Python</summary>
          <Sample label={`Call of ${id} in Python`} language="python" text={python} />
        </details>
      ) : null}
    </>
  );
}

function Parameters({ routes, document }: Pick<Entry, 'routes'> & { document: OpenApi }): ReactNode {
  const all = routes.flatMap(({ item }) =>
    item.parameters.map((parameter) => resolve<Parameter>(document, parameter)),
  );
  const parameters = [...new Map(all.map((one) => [`${one.in} ${one.name}`, one])).values()];
  if (parameters.length === 0) return null;
  return (
    <>
      <h3>Parameters and headers</h3>
      <dl>
        {parameters.map(({ name, in: place, required, description }) => (
          <div key={`${place} ${name}`}>
            <dt>
              <code>{name}</code> <span className="note">{`${place}${required ? ', required' : ''}`}</span>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

interface FieldsProps {
  readonly title: string;
  readonly heading: string;
  readonly document: OpenApi;
  readonly schema: Schema;
}

const fieldColumns = [
  { title: 'Field' },
  { title: 'Type' },
  { title: 'Rules', className: 'rules' },
  { title: 'Meaning' },
] as const;

function Fields({ title, heading, document, schema }: FieldsProps): ReactNode {
  const fields = fieldsOf(document, schema);
  if (fields.length === 0) return null;
  return (
    <>
      <h3>{heading}</h3>
      <Table
        label={title}
        columns={fieldColumns}
        rows={fields.map(({ name, type, isRequired, rules, description }) => ({
          key: name,
          cells: [
            <code key="name">{name}</code>,
            type,
            [isRequired ? 'required' : '', rules].filter(Boolean).join('; '),
            description,
          ],
        }))}
      />
    </>
  );
}

/** The error codes of an operation, with links to their descriptions. */
function Errors({ routes, document }: Pick<Entry, 'routes'> & { document: OpenApi }): ReactNode {
  const codes = new Map<string, string>();
  for (const { item } of routes)
    for (const [status, code] of codesOf(item, document)) codes.set(code, status);
  return (
    <>
      <h3>Errors</h3>
      <ul className="codes">
        {[...codes].map(([code, status]) => (
          <li key={code}>
            <a href={`/docs/errors#${code}`}>
              {status} <code>{code}</code>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function codesOf({ responses, security }: Described, document: OpenApi): [string, string][] {
  return Object.entries(responses).flatMap(([status, answer]) => {
    const content = resolve<Answer>(document, answer).content ?? {};
    if (status === '200') return [];
    // Its body is a challenge, which is no example of an error.
    const challenge = security.some((scheme) => 'siwx' in scheme) ? 'sign_in_required' : 'payment_required';
    if (status === '402') return [[status, challenge] as [string, string]];
    const codes = Object.keys(content['application/json']?.examples ?? {});
    return codes.map((code): [string, string] => [status, code]);
  });
}
