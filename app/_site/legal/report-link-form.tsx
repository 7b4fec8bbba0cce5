import type { ReactNode } from 'react';
import { describing, Field } from '@/app/_page/field';

const hint = 'Paste the link that you were sent. You do not have to open it.';

/** Leads from the link of a form or a file to the page where it is reported. */
export function ReportLinkForm({ link, error }: { link?: string; error?: string }): ReactNode {
  return (
    <form className="report-link" method="get" action="/report" noValidate>
      <Field id="link" label="Link of the form or file" hint={hint} error={error}>
        <input
          id="link"
          name="link"
          type="url"
          defaultValue={link}
          autoComplete="off"
          spellCheck={false}
          maxLength={2_000}
          {...describing('link', { hint, error })}
        />
      </Field>
      <button type="submit">Continue</button>
    </form>
  );
}
