import type { ReactNode } from 'react';
import { type FirstCall, firstCalls, paidResponse, unpaidResponse } from '@/lib/discovery/first-call';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { Sample } from '../frame';

/** One call, unpaid and paid, in a language that a radio button chooses, without a script. */
export function FirstCallSample({ site }: { site: SiteConfig }): ReactNode {
  const calls = Object.entries(firstCalls(site));
  const textsOf = (step: 'unpaid' | 'paid') =>
    calls.map(([name, call]) => ({ name, call, text: call[step] }));
  return (
    <section className="band" aria-labelledby="first">
      <h2 id="first">Make a call</h2>
      <fieldset className="first-call">
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
        <div className="step">
          <h3>1. Ask, and see the price</h3>
          <InEveryLanguage what="Unpaid call" texts={textsOf('unpaid')} />
          <Sample label="Response to the unpaid call" language="http" text={unpaidResponse(site)} />
        </div>
        <div className="step">
          <h3>2. Pay, and get the result</h3>
          <InEveryLanguage what="Paid call" texts={textsOf('paid')} />
          <Sample label="Response to the paid call" language="http" text={paidResponse()} />
        </div>
      </fieldset>
      <p>
        A paid call needs <a href="/docs/wallet">a wallet with a few cents of USDC</a>. The service pays the
        network fee.
      </p>
    </section>
  );
}

interface Texts {
  readonly what: string;
  readonly texts: readonly { readonly name: string; readonly call: FirstCall; readonly text: string }[];
}

function InEveryLanguage({ what, texts }: Texts): ReactNode {
  return (
    <div className="versions">
      {texts.map(({ name, call, text }) => (
        <div className="version" data-language={name} key={name}>
          <Sample
            label={`${what}: ${call.label}`}
            language={call.language}
            text={text}
            isProse={name === 'assistant'}
          />
        </div>
      ))}
    </div>
  );
}
