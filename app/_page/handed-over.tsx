import type { ReactNode } from 'react';

/** JSON for the page's own script, which finds it by its id. */
export function HandedOver({ id, json }: { id: string; json: object }): ReactNode {
  return (
    <script
      type="application/json"
      id={id}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON for our own script, with no way out of the element.
      dangerouslySetInnerHTML={{ __html: JSON.stringify(json).replaceAll('<', '\\u003c') }}
    />
  );
}
