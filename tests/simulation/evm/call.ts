import type { Hex } from 'viem';
import type { Frame } from './state';

/** The block in which a call runs. */
export interface BlockContext {
  readonly number: number;
  /** Seconds. */
  readonly timestamp: number;
}

/** Runs a call within a frame, and keeps its changes there if it succeeds. */
interface Caller {
  call(frame: Frame, call: Call): Result;
}

export interface Call {
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
  readonly gas: number;
  readonly block: BlockContext;
  /** What the transaction has touched, which costs less gas from then on. */
  readonly warm: Set<string>;
  readonly machine: Caller;
}

export interface Result {
  readonly success: boolean;
  readonly data: Hex;
  readonly gasUsed: number;
}

/** What runs at an address. It may write to the frame, whose changes are kept only when it succeeds. */
export type Contract = (frame: Frame, call: Call) => Result;

export const succeeded = (data: Hex, gasUsed: number): Result => ({ success: true, data, gasUsed });
export const failed = (data: Hex, gasUsed: number): Result => ({ success: false, data, gasUsed });
