import type { ReactNode } from 'react';
import { describeLinkLimits } from '@/lib/catalog/link-limits';
import { codeSamples } from '@/lib/discovery/code-samples';
import { commonPath } from '@/lib/discovery/contents';
import { answerHeaders } from '@/lib/discovery/openapi/headers';
import { isPaid } from '@/lib/discovery/remote-tools';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { chargeWords, priceOf } from '../price';
import { Sample } from '../sample';
import { onThisHost } from '../words';
import { requestFields, responseFields } from './call-fields';
import { type Call, errorsOf, routesOf } from './calls';
import { byStatus, ErrorTable } from './error-table';
import { prose, TopFields } from './field-list';
import { EarlyTryLink, TryIt, TryLink } from './try/section';

interface CallProps {
  readonly call: Call;
  readonly site: SiteConfig;
}

/** The page of a call: the text on the left, samples on the right; one below the other where there is no room. */
export function CallPage({ call, site }: CallProps): ReactNode {
  const [route] = routesOf(call, site);
  return (
    <article className="call">
      <div className="call-columns">
        <div className="call-text">
          <CallHead call={call} site={site} />
          <Request call={call} />
          <Response call={call} />
        </div>
        <aside className="call-samples" aria-label="Samples">
          <RequestSamples call={call} path={route?.path ?? firstPath(call)} publicUrl={site.publicUrl} />
          <ResponseSample call={call} publicUrl={site.publicUrl} />
          {isPaid(call) && site.isAvailable(call) ? <TryLink /> : null}
        </aside>
      </div>
      {isPaid(call) && site.isAvailable(call) ? <TryIt call={call} site={site} /> : null}
      <Errors call={call} />
    </article>
  );
}

const firstPath = (call: Call) => (isPaid(call) ? call.paths.x402 : call.path);

function CallHead({ call, site }: CallProps): ReactNode {
  const limits = isPaid(call) && call.givesLink ? describeLinkLimits(site.linkLimits) : null;
  return (
    <div className="call-head">
      <h1>{call.title}</h1>
      <Endpoint call={call} publicUrl={site.publicUrl} />
      <PriceAndRails call={call} site={site} />
      {isPaid(call) && !site.isAvailable(call) ? (
        <p className="unavailable">This service does not offer this call at the moment.</p>
      ) : null}
      <p>
        {prose(call.summary)} {limits} {chargeWords(call, site)}
      </p>
      {isPaid(call) && site.isAvailable(call) ? <EarlyTryLink /> : null}
    </div>
  );
}

/** Method and path, which identify the call. The button copies the whole URL. */
function Endpoint({ call, publicUrl }: { call: Call; publicUrl: string }): ReactNode {
  const path = firstPath(call);
  return (
    <p className="endpoint">
      <code data-copy data-text={publicUrl + path} data-label="URL of the call">
        <b className="method" data-method={call.method}>
          {call.method}
        </b>{' '}
        {path}
      </code>
    </p>
  );
}

const railNames = { x402: 'x402', mpp: 'MPP', account: 'Prepaid account' } as const;
const railGuides = {
  x402: '/docs/paying-with-x402',
  mpp: '/docs/paying-with-mpp',
  account: '/docs/prepaid-accounts',
} as const;

const accessWords = {
  account: (
    <>
      Needs the token of a <a href="/docs/prepaid-accounts">prepaid account</a>.
    </>
  ),
  readToken: (
    <>
      Needs the <a href="/docs/forms#4-read-the-responses">read token</a> of the form, in{' '}
      <code>Authorization: Bearer</code>.
    </>
  ),
  wallet: (
    <>
      A wallet <a href="/docs/wallet-lists">signs in</a>.
    </>
  ),
} as const;

/** The price, and the rails and networks that pay it, with their own paths. */
function PriceAndRails({ call, site }: CallProps): ReactNode {
  const access = !isPaid(call) && call.access ? accessWords[call.access] : null;
  return (
    <>
      <p className="price-line">
        <strong className="badge">{priceOf(call)}</strong>
        {isPaid(call) ? ' per call' : ''} {access}
      </p>
      <ul className="rails">
        {routesOf(call, site).map(({ rail, path, networks }) =>
          rail === null ? null : (
            <li key={path}>
              <a href={railGuides[rail]}>{railNames[rail]}</a>
              {rail === 'x402' ? null : <code>{path}</code>}
              {networks.length > 0 ? <span>on {networks.join(', ')}</span> : null}
            </li>
          ),
        )}
      </ul>
    </>
  );
}

function Request({ call }: { call: Call }): ReactNode {
  const filled = requestFields(call);
  return (
    <section aria-labelledby="request">
      <h2 id="request">Request</h2>
      {filled.length === 0 ? <p>No parameters.</p> : null}
      {filled.map(({ anchor, title, fields }) => (
        <div key={title}>
          <h3>{title}</h3>
          <TopFields fields={fields} anchor={anchor} />
        </div>
      ))}
      <p className="note">
        {isPaid(call) ? (
          <>
            Also accepts the <a href={commonPath}>common headers</a>: payment and Idempotency-Key.
          </>
        ) : (
          <>
            Also has the <a href={commonPath}>common response headers and limits</a>.
          </>
        )}
      </p>
    </section>
  );
}

function Response({ call }: { call: Call }): ReactNode {
  const fields = responseFields(call);
  const headers = [
    ...('answerHeaders' in call ? (call.answerHeaders ?? []) : []),
    ...(isPaid(call) && call.providers ? (['Source', 'Sandbox'] as const) : []),
  ];
  return (
    <section aria-labelledby="response">
      <h2 id="response">Response</h2>
      <TopFields fields={fields} anchor="response." isResponse />
      {headers.length > 0 ? (
        <>
          <h3>Headers</h3>
          <dl className="parameters">
            {headers.map((name) => (
              <div className="parameter" key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>{prose(answerHeaders[name].description)}</dd>
              </div>
            ))}
          </dl>
        </>
      ) : null}
    </section>
  );
}

/** Further errors are collapsed. */
const shownErrorsMax = 5;

function Errors({ call }: { call: Call }): ReactNode {
  const codes = byStatus(errorsOf(call));
  const shown = codes.slice(0, codes.length <= shownErrorsMax + 1 ? codes.length : shownErrorsMax);
  const folded = codes.slice(shown.length);
  return (
    <section aria-labelledby="errors">
      <h2 id="errors">Errors</h2>
      {shown.length > 0 ? <ErrorTable label="Errors of this call" codes={shown} /> : null}
      {folded.length > 0 ? (
        <details className="more">
          <summary>{folded.length} more errors</summary>
          <ErrorTable label="More errors of this call" codes={folded} />
        </details>
      ) : null}
      <p className="note">
        {codes.length > 0 ? 'Also the ' : 'Only the '}
        <a href={`${commonPath}#errors`}>errors that any call can have</a>.
      </p>
    </section>
  );
}

/**
 * The request in several languages. A radio button shows one of them, without a script. The page's script remembers the
 * choice.
 */
function RequestSamples(props: { call: Call; path: string; publicUrl: string }): ReactNode {
  const { call, path, publicUrl } = props;
  const languages = codeSamples(call, path, { publicUrl });
  return (
    <fieldset className="languages">
      <legend className="hidden">Language of the sample</legend>
      <div className="choices">
        <span className="pane-title">Request</span>
        {languages.map(({ name, label }, at) => (
          <span className="choice" key={name}>
            <input
              type="radio"
              name="language"
              id={`language-${name}`}
              value={name}
              defaultChecked={at === 0}
            />
            <label htmlFor={`language-${name}`}>{label}</label>
          </span>
        ))}
      </div>
      {languages.map(({ name, label, lang, source }) => (
        <div className="language" data-language={name} key={name}>
          <Sample label={`Request with ${label}`} language={lang} text={source} />
        </div>
      ))}
    </fieldset>
  );
}

function ResponseSample({ call, publicUrl }: { call: Call; publicUrl: string }): ReactNode {
  const text = onThisHost(JSON.stringify(call.example.output, null, 2), publicUrl);
  return (
    <div className="response-sample">
      <p className="pane-title">
        Response <span className="status-code">200</span>
        {isPaid(call) ? ' once paid' : null}
      </p>
      <Sample label="Example response" language="json" text={text} />
    </div>
  );
}
