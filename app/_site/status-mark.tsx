import type { ReactNode } from 'react';

/** A check or a cross. The words beside it say the same. */
export function StatusMark({ isGood }: { isGood: boolean }): ReactNode {
  return (
    <svg
      className={isGood ? 'mark' : 'mark wrong'}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      aria-hidden="true"
    >
      <path d={isGood ? 'M2.5 8.5l4 4 7-9' : 'M3 3l10 10M13 3L3 13'} />
    </svg>
  );
}
