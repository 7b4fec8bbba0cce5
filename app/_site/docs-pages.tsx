import type { ReactNode } from 'react';
import { charged, nextSteps } from '@/lib/discovery/llms';
import type { Guide, SiteConfig } from '@/lib/discovery/site-config';
import { type ErrorCode, errors } from '@/lib/errors/codes';
import type { OperatorGuides } from './site-config';
import { Table } from './table';

/** The pages under /docs that are not the reference. */

export function DocsIndex(props: { site: SiteConfig; forOperators: OperatorGuides }): ReactNode {
  const { site, forOperators } = props;
  return (
    <>
      <h1>Documentation</h1>
      <h2>Guides</h2>
      <ul className="cards">
        <GuideCards guides={site.guides} />
        <li>
          <a href="/docs/errors">Errors</a>
          <p>Every code: whether you were charged and what to do next.</p>
        </li>
      </ul>
      <h2>Reference</h2>
      <p>
        <a href="/docs/reference">Every call</a> with its fields, price and errors. Agents start with{' '}
        <a href="/llms.txt">/llms.txt</a>.
      </p>
      <h2>For operators</h2>
      <p>How to run a service like this one.</p>
      <ul className="cards">
        <GuideCards guides={forOperators.guides} />
      </ul>
      <h2>Incidents</h2>
      <ul className="cards">
        <GuideCards guides={forOperators.incidents} />
      </ul>
    </>
  );
}

function GuideCards({ guides }: { guides: readonly Guide[] }): ReactNode {
  return guides.map(({ name, title, summary }) => (
    <li key={name}>
      <a href={`/docs/${name}`}>{title}</a>
      <p>{summary}</p>
    </li>
  ));
}

const errorColumns = ['Code', 'Status', 'Charged?', 'What happened', 'Next'].map((title) => ({ title }));

/** The page that `docs` in every error body links to. */
export function ErrorsPage(): ReactNode {
  return (
    <>
      <h1>Errors</h1>
      <p>
        Every error has the same body: <code>code</code>, <code>message</code>, what happened to the money (
        <code>payment</code>) and what to do next (<code>retry</code>). Errors about invalid input also have{' '}
        <code>issues</code>, each with a <code>path</code> and a <code>rule</code>.
      </p>
      <h2 id="again">Retries</h2>
      <p>
        A 402 always means that nothing was charged. If the outcome of a request is unknown, send the
        identical request again, with the same body, the same payment and the same{' '}
        <code>Idempotency-Key</code> if it had one. You get the response that the first request paid for, and
        you are never charged twice. <code>GET /v1/paid-calls/{'{id}'}</code>, with the{' '}
        <code>Paid-Call-Id</code> of a response, returns the status of a paid call.
      </p>
      <h2 id="codes">Codes</h2>
      <Table
        label="Error codes"
        columns={errorColumns}
        rows={(Object.keys(errors) as ErrorCode[]).map((code) => ({
          key: code,
          id: code,
          cells: [
            <a key="code" href={`#${code}`}>
              <code>{code}</code>
            </a>,
            errors[code].status,
            charged[errors[code].payment],
            errors[code].message,
            nextSteps[errors[code].retry],
          ],
        }))}
      />
    </>
  );
}

export function MissingPage(): ReactNode {
  return (
    <>
      <h1>Page not found</h1>
      <p>
        Go to the <a href="/">front page</a> or the <a href="/docs">documentation</a>.
      </p>
    </>
  );
}
