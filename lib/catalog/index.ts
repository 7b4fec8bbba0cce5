import type { Operation } from './operation';
import * as uploads from './uploads';

/** Everything that is sold, in the order in which documents list it. */
export const operations: readonly Operation[] = [uploads.create, uploads.renew, uploads.remove];

export { uploads };
