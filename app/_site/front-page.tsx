import type { ReactNode } from 'react';
import { about } from '@/lib/catalog/about';
import { forAgents, partOf } from '@/lib/discovery/contents';
import { offersOf } from '@/lib/discovery/openapi/payment-info';
import { curl, firstOperation, firstProgram } from '@/lib/discovery/samples';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { Sample } from './frame';
import { Table } from './table';

const priceColumns = [
  { title: 'Call' },
  { title: 'USDC', className: 'price' },
  { title: 'What it does' },
] as const;

/** What the service is, what it costs and how to start. */
export function FrontPage({ site }: { site: SiteConfig }): ReactNode {
  const first = firstOperation();
  const { operations, freeOperations } = forAgents(site);
  const paid = operations.map((operation) => ({
    key: operation.id,
    cells: [
      <Call
        key="call"
        operation={operation}
        path={operation.paths.x402}
        hasMpp={Boolean(operation.paths.mpp)}
      />,
      operation.price,
      operation.summary,
    ],
  }));
  const free = freeOperations.map((operation) => ({
    key: operation.id,
    cells: [
      <Call key="call" operation={operation} path={operation.path} hasMpp={false} />,
      'free',
      operation.summary,
    ],
  }));
  const networks = offersOf('x402', site).map(({ network }) => network.name);
  return (
    <>
      <div className="hero">
        <h1>Pay-per-call APIs for AI agents</h1>
        <p className="lead">{about.summary}</p>
        <p>{about.description}</p>
      </div>
      <h2 id="first">Make a call</h2>
      <p>Without a payment, a call returns its price and charges nothing:</p>
      <Sample label="The call with curl" language="bash" text={curl(first, first.paths.x402, site)} />
      <h2 id="prices">Prices</h2>
      <Table label="Prices" columns={priceColumns} rows={[...paid, ...free]} />
      <h2 id="pay">Pay for it</h2>
      <p>
        The same call costs {first.price} USDC on {networks.join(', ')}.
      </p>
      <Sample label="A paid call in JavaScript" language="javascript" text={firstProgram(site)} />
    </>
  );
}

interface CallProps {
  readonly operation: Parameters<typeof partOf>[0] & { readonly id: string; readonly method: string };
  readonly path: string;
  readonly hasMpp: boolean;
}

/** The method and path of a call, with a link to the reference. */
function Call({ operation, path, hasMpp }: CallProps): ReactNode {
  return (
    <>
      <a href={`/docs/reference/${partOf(operation)}#${operation.id}`}>
        <code>
          {operation.method} {path}
        </code>
      </a>
      {hasMpp ? <span className="note">also over MPP</span> : null}
    </>
  );
}
