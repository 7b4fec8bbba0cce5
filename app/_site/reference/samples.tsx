import type { ReactNode } from 'react';
import { codeSamples } from '@/lib/discovery/code-samples';
import { Sample } from '../frame';
import type { Call } from './calls';

/**
 * The request in several languages. A radio button shows one of them, without a script. The page's script remembers the
 * choice.
 */
export function RequestSamples(props: { call: Call; path: string; publicUrl: string }): ReactNode {
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

/** The example response. */
export function ResponseSample({ example }: { example: unknown }): ReactNode {
  return (
    <div className="response-sample">
      <p className="pane-title">
        Response <span className="status-code">200</span>
      </p>
      <Sample label="Example response" language="json" text={JSON.stringify(example, null, 2)} />
    </div>
  );
}
