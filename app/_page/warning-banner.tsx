import type { ReactNode } from 'react';

/** A band with a warning, above everything else on its page. */
export function WarningBanner({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className="warning">
      <p className="banner">
        <span className="sign" aria-hidden="true">
          !
        </span>
        {children}
      </p>
    </div>
  );
}
