import type { ReactNode } from 'react';

/** What is shown where there is no page. */
export function MissingPage(): ReactNode {
  return (
    <>
      <h1>Page not found</h1>
      <p>
        Go to the <a href="/">front page</a> or the <a href="/docs">documentation</a>.
      </p>
    </>
  );
}
