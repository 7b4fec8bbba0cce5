import type { ReactNode } from 'react';

/**
 * The ID of a request that failed, for a person who asks what went wrong. The log of the service has it too. It says "ID", which
 * is the same word in most languages of forms.
 */
export function RequestReference({ id }: { id: string }): ReactNode {
  return (
    <p>
      <small>
        ID: <code translate="no">{id}</code>
      </small>
    </p>
  );
}
