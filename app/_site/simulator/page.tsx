import type { ReactNode } from 'react';
import { faultNames, faults } from '@/simulator/faults';
import type { Page } from '../page';
import { StateDiagram } from '../states/diagram';
import { simulatorIds as ids, states } from './parts';

/** `/simulator`: the code of paid calls in the reader's browser, with faults to choose. Its script fills in everything that moves. */
export const simulatorPage: Page = {
  title: 'Payment simulator',
  description:
    'Buy a call, break something at any step, and watch money, states and responses until the end.',
  body: () => (
    <article className="simulator">
      <h1>Payment simulator</h1>
      <p className="lead">
        Buy a call, break something at any step, and see whether it is still paid once and delivered once.
      </p>
      <p>
        The code of this service that charges and delivers calls runs in your browser, on a simulated chain
        and in virtual time: nothing is sent, and no money moves.{' '}
        <a href="/docs/reliability">What is promised</a>
      </p>
      <noscript>
        <p className="notice">
          The simulator is a program, which needs JavaScript. <a href="/docs/reliability">Reliability</a> has
          its states, and what the same code did in thousands of simulated histories.
        </p>
      </noscript>
      <Controls />
      <div className="simulator-panels">
        <ClientPanel />
        <ServerPanel />
        <ChainPanel />
      </div>
      <figure className="simulator-moves" id={ids.moves}>
        <StateDiagram title="The states of a paid call, with an arrow for each move" />
        <figcaption className="note">
          The states of a call and all of its moves. The call is in the filled state, and the thick colored
          lines are the moves that it has made.{' '}
          <a href="/docs/reliability#the-states-of-a-paid-call">Why each is made</a>
        </figcaption>
      </figure>
      <section aria-labelledby="events">
        <h2 id="events">Events</h2>
        <ol className="simulator-events" id={ids.events} reversed />
      </section>
    </article>
  ),
};

function Controls(): ReactNode {
  return (
    <>
      <div className="simulator-head">
        <p className="actions simulator-actions">
          <button type="button" id={ids.buy} disabled>
            Buy a call
          </button>
          <button type="button" className="secondary" id={ids.step} disabled>
            Step
          </button>
          <button type="button" className="secondary" id={ids.end} disabled>
            Run to the end
          </button>
          <button type="button" className="tertiary" id={ids.again} disabled>
            Start again
          </button>
        </p>
        <div className="notice simulator-now" id={ids.now} role="status">
          <p className="verdict" id={ids.verdict} hidden />
          <ul id={ids.broken} />
          <p id={ids.last}>Nothing has been bought yet.</p>
        </div>
      </div>
      <fieldset className="simulator-faults">
        <legend>Faults, at any step</legend>
        <ul>
          {faultNames.map((name) => (
            <li key={name}>
              <button
                type="button"
                className="chip"
                data-fault={name}
                aria-pressed="false"
                aria-describedby={`fault-${name}`}
                disabled
              >
                {faults[name].label}
              </button>
              <span className="note" id={`fault-${name}`}>
                {faults[name].does}
              </span>
            </li>
          ))}
        </ul>
      </fieldset>
    </>
  );
}

function ClientPanel(): ReactNode {
  return (
    <section aria-labelledby="client">
      <h2 id="client">Client</h2>
      <p className="note">
        It retries with the same payment and the same Idempotency-Key, as the response says.
      </p>
      <ol className="simulator-rows" id={ids.requests} />
    </section>
  );
}

function ServerPanel(): ReactNode {
  return (
    <section aria-labelledby="server">
      <h2 id="server">Server</h2>
      <p id={ids.process}>The process is up.</p>
      <h3 id="call-state">State of the call</h3>
      <ol className="simulator-states" id={ids.states} aria-labelledby="call-state">
        {states.map((state) => (
          <li key={state} data-state={state}>
            {state.replace('_', ' ')}
          </li>
        ))}
      </ol>
      <h3 id="postings">Ledger postings</h3>
      <ol className="simulator-rows" id={ids.postings} aria-labelledby="postings">
        <li>none yet</li>
      </ol>
    </section>
  );
}

function ChainPanel(): ReactNode {
  return (
    <section aria-labelledby="chain">
      <h2 id="chain">Chain</h2>
      <dl className="facts">
        <div>
          <dt>Payer</dt>
          <dd id={ids.payer}>1.00 USDC</dd>
        </div>
        <div>
          <dt>Seller</dt>
          <dd id={ids.seller}>0.00 USDC</dd>
        </div>
        <div>
          <dt>Waiting</dt>
          <dd id={ids.waiting}>no transaction</dd>
        </div>
      </dl>
      <h3 id="blocks">Newest blocks</h3>
      <ol className="simulator-rows" id={ids.blocks} aria-labelledby="blocks">
        <li>none yet</li>
      </ol>
    </section>
  );
}
