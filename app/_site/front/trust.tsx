import type { ReactNode } from 'react';
import type { Figure } from './figures';

interface TrustProps {
  /** Where the source code can be read. */
  readonly sourceUrl: string | null;
  readonly figures: readonly Figure[];
}

/** Why an agent can leave its money here: what is promised, and what the tests measured. */
export function WhyTrustIt({ sourceUrl, figures }: TrustProps): ReactNode {
  return (
    <section className="band" aria-labelledby="trust">
      <h2 id="trust">Why you can trust it</h2>
      <ul className="reasons">
        <li>
          <h3>Never charged twice</h3>
          <p>
            A call survives crashes, timeouts and retries. <a href="/docs/lost-answers">Send it again</a> and
            you get the first result, at no further cost.
          </p>
        </li>
        <li>
          <h3>Every call accounted for</h3>
          <p>
            Every <a href="/docs/errors">error</a> says whether you were charged and what to do next. A 402 is
            never charged.
          </p>
        </li>
        <li>
          <h3>Signed receipts</h3>
          <p>
            Each <a href="/docs/receipts">receipt</a> names the request, the result and the transaction.
            Anyone can <a href="/receipts">verify it</a>.
          </p>
        </li>
        <li>
          <h3>Open source</h3>
          <p>
            The whole service is under the MIT license
            {sourceUrl === null ? null : (
              <>
                : <a href={sourceUrl}>read the source</a>
              </>
            )}
            . You can <a href="/docs/first-sale">run your own</a>.
          </p>
        </li>
      </ul>
      <dl className="figures">
        {figures.map(({ count, meaning }) => (
          <div key={meaning}>
            <dt>{count}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p>
        <a href="/docs/reliability">How this was measured, and what is not promised</a>.{' '}
        <a href="/simulator">Try to break a payment</a> in the simulator.
      </p>
    </section>
  );
}
