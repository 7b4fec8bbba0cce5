import type { ReactNode } from 'react';

/** JSON for the page's own script, which finds it by its ID. */
export function JsonScript({ id, json }: { id: string; json: object }): ReactNode {
  return (
    <script
      type="application/json"
      id={id}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON for our own script, escaped so that it cannot end the element.
      dangerouslySetInnerHTML={{ __html: JSON.stringify(json).replaceAll('<', '\\u003c') }}
    />
  );
}
