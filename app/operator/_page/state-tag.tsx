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

/** A state, or another code, as words. */
export function stateWords(state: string): string {
  return state.replaceAll('_', ' ');
}

/**
 * The state of a paid call, or a step in its record.
 * @param note why it is in this state: a code
 */
export function StateTag({ state, note }: { state: PaidCallStep; note: string | null }): ReactNode {
  return (
    <>
      <Tag tone={tones[state]}>{stateWords(state)}</Tag>
      {note === null ? null : <span className="note">{stateWords(note)}</span>}
    </>
  );
}
