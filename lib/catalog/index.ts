import type { FreeOperation } from './free';
import * as free from './free';
import type { Operation } from './operation';
import * as render from './render';
import * as uploads from './uploads';

/** Everything that is sold, in the order in which documents list it. */
export const operations: readonly Operation[] = [uploads.create, uploads.renew, uploads.remove, render.pdf];

/** Everything that costs nothing and is for callers, likewise. */
export const freeOperations: readonly FreeOperation[] = [free.prices, free.paidCall, free.health];

export { free, render, uploads };
