import type { ReactNode } from 'react';
import { describeLinkLimits } from '@/lib/catalog/link-limits';
import { codeSamples } from '@/lib/discovery/code-samples';
import { commonPath } from '@/lib/discovery/contents';
import { answerHeaders } from '@/lib/discovery/openapi/headers';
import { isPaid } from '@/lib/discovery/remote-tools';
import type { SiteConfig } from '@/lib/discovery/site-config';
import { Sample } from '../frame';
import { requestFields, responseFields } from './call-fields';
import { type Call, errorsOf, priceOf, routesOf } from './calls';
import { byStatus, ErrorTable } from './error-table';
import { prose, TopFields } from './field-list';
import { TryIt } from './try/section';
import { tryIds } from './try/state';

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
        <CallHead call={call} site={site} />
        <aside className="call-samples" aria-label="Samples">
          <RequestSamples call={call} path={route?.path ?? firstPath(call)} publicUrl={site.publicUrl} />
          <ResponseSample example={call.example.output} />
        </aside>
        <div className="call-text">
          <Request call={call} />
          <Response call={call} />
        </div>
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
      <p>
        {prose(call.summary)} {limits}
      </p>
      {isPaid(call) && !site.isAvailable(call) ? (
        <p className="unavailable">This service does not offer this call at the moment.</p>
      ) : null}
      <Routes call={call} site={site} />
    </div>
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

/** Price, methods and paths, with the rails and networks that pay. */
function Routes({ call, site }: CallProps): ReactNode {
  const access = !isPaid(call) && call.access ? accessWords[call.access] : null;
  return (
    <>
      <p className="price-line">
        <strong>{priceOf(call)}</strong>
        {isPaid(call) ? ' per call' : ''} {access}
        {isPaid(call) && site.isAvailable(call) ? <a href={`#${tryIds.details}`}>Try it</a> : null}
      </p>
      <dl className="routes">
        {routesOf(call, site).map(({ rail, path, networks }) => (
          <div key={path}>
            <dt>
              <code>
                <b>{call.method}</b> {path}
              </code>
            </dt>
            {rail === null ? null : (
              <dd>
                <a href={railGuides[rail]}>{railNames[rail]}</a>
                {networks.length > 0 ? ` on ${networks.join(', ')}` : ''}
              </dd>
            )}
          </div>
        ))}
      </dl>
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
        {isPaid(call)
          ? 'A payment and an Idempotency-Key are headers that '
          : 'The headers of responses and the limits are those that '}
        <a href={commonPath}>all calls have in common</a>.
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

function ResponseSample({ example }: { example: unknown }): ReactNode {
  return (
    <div className="response-sample">
      <p className="pane-title">
        Response <span className="status-code">200</span>
      </p>
      <Sample label="Example response" language="json" text={JSON.stringify(example, null, 2)} />
    </div>
  );
}
