import type { ReactNode } from 'react';
import { about } from '@/lib/catalog/about';

/** The service's mark, as in `public/favicon.svg`, and name. The mark is drawn in the page, so that it needs no request. */
export function Brand(): ReactNode {
  return (
    <>
      <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
        <circle cx="16" cy="16" r="15" fill="#8a4b1f" />
        <circle
          cx="16"
          cy="16"
          r="12"
          fill="none"
          stroke="#f6d9b8"
          strokeWidth="1.5"
          strokeDasharray="1.5 1.5"
        />
        <path
          fill="#f6d9b8"
          d="M11.2 13c.3-2.7 2.3-4.5 5-4.5 2.9 0 5 1.8 5 4.3 0 1.8-.9 3-3.4 5l-2.9 2.4h6.5v3H10.8v-2.5l5-4.3c1.8-1.5 2.3-2.2 2.3-3.3 0-1.1-.8-1.8-2-1.8-1.3 0-2.1.8-2.3 2.1z"
        />
      </svg>
      <span translate="no">{about.name}</span>
    </>
  );
}
