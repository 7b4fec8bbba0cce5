import type { ReactNode } from 'react';
import type { PaidCallStep } from '@/lib/ledger/states';
import { Tag, type Tone } from './parts';

const tones: Readonly<Record<PaidCallStep, Tone>> = {
  claimed: 'plain',
  prepared: 'plain',
  settling: 'plain',
  settled: 'plain',
  delivered: 'good',
  kept: 'warn',
  refused: 'plain',
  unknown: 'wrong',
  needs_attention: 'wrong',
  refunded: 'warn',
};

/**
 * The state of a paid call, or a step in its record.
 * @param note why it is in this state: a code
 */
export function StateTag({ state, note }: { state: PaidCallStep; note: string | null }): ReactNode {
  return (
    <>
      <Tag tone={tones[state]}>{state}</Tag>
      {note === null ? null : <span className="note">{note}</span>}
    </>
  );
}
