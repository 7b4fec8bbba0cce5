import type { ReactNode } from 'react';
import { curl } from '@/lib/discovery/samples';
import { methodOf } from '@/lib/discovery/typed-clients/methods';
import { pythonProgram, typescriptProgram } from '@/lib/discovery/typed-clients/programs';
import { Sample } from '../frame';
import type { Call } from './calls';

interface Language {
  readonly name: string;
  readonly label: string;
  readonly highlighted: string;
  readonly text: string;
}

/** The call in the languages that have a sample of it. */
export function languagesOf(call: Call, path: string, publicUrl: string): readonly Language[] {
  const method = methodOf(call.id);
  const texts = [
    { name: 'curl', label: 'curl', highlighted: 'bash', text: curl(call, path, { publicUrl }) },
    {
      name: 'typescript',
      label: 'TypeScript',
      highlighted: 'typescript',
      text: method && typescriptProgram(method, { publicUrl }).trimEnd(),
    },
    {
      name: 'python',
      label: 'Python',
      highlighted: 'python',
      text: method && pythonProgram(method, { publicUrl })?.trimEnd(),
    },
  ];
  return texts.filter((one): one is Language => typeof one.text === 'string');
}

/**
 * The request in several languages, of which a radio button shows one, without a script. The page's script remembers the
 * choice.
 */
export function RequestSamples(props: { call: Call; path: string; publicUrl: string }): ReactNode {
  const { call, path, publicUrl } = props;
  const languages = languagesOf(call, path, publicUrl);
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
      {languages.map(({ name, label, highlighted, text }) => (
        <div className="language" data-language={name} key={name}>
          <Sample label={`Request with ${label}`} language={highlighted} text={text} />
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
