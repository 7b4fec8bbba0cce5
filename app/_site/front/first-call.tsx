import type { ReactNode } from 'react';
import {
  assistantCall,
  type FirstCall,
  firstCalls,
  firstOperation,
  paidResponse,
  unpaidResponse,
} from '@/lib/discovery/first-call';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { priceOf } from '../price';
import { Sample } from '../sample';

/** One call, unpaid and paid, each beside its response, in a language that a radio button chooses, without a script. */
export function FirstCallSample({ site }: { site: SiteConfig }): ReactNode {
  const calls = Object.entries(firstCalls(site));
  return (
    <section className="first-call" aria-labelledby="first">
      <h2 id="first" className="hidden">
        A call and its response
      </h2>
      <fieldset>
        <legend className="hidden">Language of the sample</legend>
        <div className="choices">
          {calls.map(([name, { label }], at) => (
            <span className="choice" key={name}>
              <input
                type="radio"
                name="language"
                id={`first-${name}`}
                value={name}
                defaultChecked={at === 0}
              />
              <label htmlFor={`first-${name}`}>{label}</label>
            </span>
          ))}
        </div>
        <div className="panes">
          <div className="pane">
            <h3 data-step="1">Send a request</h3>
            <InEveryLanguage what="Unpaid call" step="unpaid" calls={calls} />
            <p className="pane-note">No key and no account: the response says what the call costs.</p>
          </div>
          <div className="pane">
            <h3>
              402 Payment required <small>It costs {priceOf(firstOperation())}</small>
            </h3>
            <Sample
              label="Response to the unpaid call"
              language="http"
              text={unpaidResponse(site)}
              isOutput
            />
          </div>
          <div className="pane">
            <h3 data-step="2">Send it again with a payment</h3>
            <InEveryLanguage what="Paid call" step="paid" calls={calls} />
            <p className="pane-note">
              Needs <a href="/docs/wallet">a wallet with a few cents of USDC</a>. The service pays the network
              fee.
            </p>
          </div>
          <div className="pane">
            <h3>
              200 OK <small>The result, with a receipt</small>
            </h3>
            <Sample
              label="Response to the paid call"
              language="http"
              text={paidResponse()}
              isFolded
              isOutput
            />
          </div>
        </div>
      </fieldset>
      <FromAssistant site={site} />
    </section>
  );
}

/** The same call by an AI assistant: what connects it, and what it does when a person asks. */
function FromAssistant({ site }: { site: SiteConfig }): ReactNode {
  const call = assistantCall(site);
  return (
    <div className="assistant">
      <div>
        <h3>Or connect an AI assistant</h3>
        <p className="pane-note">
          Then write <em>{call.prompt}</em> It calls <code>{call.tool}</code> and pays from its wallet or a
          prepaid account: <a href="/docs/mcp">MCP servers</a>. Others read <a href="/llms.txt">llms.txt</a>.
        </p>
      </div>
      <Sample
        label="Configuration of an AI assistant"
        title="Its configuration"
        language="json"
        text={call.config}
      />
    </div>
  );
}

interface Texts {
  readonly what: string;
  readonly step: 'unpaid' | 'paid';
  readonly calls: readonly (readonly [name: string, call: FirstCall])[];
}

/** Where there is room for two columns, curl takes the room and the others scroll in it, so that a choice moves nothing. */
function InEveryLanguage({ what, step, calls }: Texts): ReactNode {
  return (
    <div className="versions">
      {calls.map(([name, call]) => (
        <div className="version" data-language={name} key={name}>
          <Sample label={`${what}: ${call.label}`} language={call.language} text={call[step]} isFolded />
        </div>
      ))}
    </div>
  );
}
