import type { ReactNode } from 'react';
import { about } from '@/lib/catalog/about';
import { forAgents, partOf } from '@/lib/discovery/contents';
import { offersOf } from '@/lib/discovery/openapi/payment-info';
import type { Place } from '@/lib/discovery/place';
import { curl, firstOperation, firstProgram } from '@/lib/discovery/samples';
import { Sample, Scroll } from './frame';

/** What the service is, what it costs and how to begin. */
export function FrontPage({ place }: { place: Place }): ReactNode {
  const first = firstOperation();
  const { operations, freeOperations } = forAgents(place);
  const networks = offersOf('x402', place).map(({ network }) => network.name);
  return (
    <>
      <div className="hero">
        <h1>Services that agents buy by the call</h1>
        <p className="lead">{about.summary}</p>
        <p>{about.description}</p>
      </div>
      <h2 id="first">A first call</h2>
      <p>Without a payment it tells what it costs, and nothing is charged:</p>
      <Sample label="The call with curl" text={curl(first, first.paths.x402, place)} />
      <h2 id="prices">What it costs</h2>
      <Scroll label="Prices">
        <table>
          <thead>
            <tr>
              <th scope="col">Call</th>
              <th scope="col">USDC</th>
              <th scope="col">What it does</th>
            </tr>
          </thead>
          <tbody>
            {operations.map((operation) => (
              <tr key={operation.id}>
                <th scope="row">
                  <a href={`/docs/reference/${partOf(operation)}#${operation.id}`}>
                    <code>
                      {operation.method} {operation.paths.x402}
                    </code>
                  </a>
                  {operation.paths.mpp ? <span className="note">also over MPP</span> : null}
                </th>
                <td className="price">{operation.price}</td>
                <td>{operation.summary}</td>
              </tr>
            ))}
            {freeOperations.map((operation) => (
              <tr key={operation.id}>
                <th scope="row">
                  <a href={`/docs/reference/${partOf(operation)}#${operation.id}`}>
                    <code>
                      {operation.method} {operation.path}
                    </code>
                  </a>
                </th>
                <td className="price">free</td>
                <td>{operation.summary}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <h2 id="pay">The same call, paid</h2>
      <p>
        {first.price} USDC on {networks.join(', ')}.
      </p>
      <Sample label="A paid call in JavaScript" text={firstProgram(place)} />
    </>
  );
}
