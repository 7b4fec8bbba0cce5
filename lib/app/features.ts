import { openFacilitator } from '@/lib/payments/facilitator/open-facilitator';
import type { Feature, OpenRemote } from './feature';
import { channels } from './open-channels';

/** Optional ways to pay. Nothing names an optional feature but this file and its own. */
export const features: readonly Feature[] = [channels];

/** Optional servers that settle on a network instead of our own keys; the first that is set does. */
export const remoteSettlers: readonly OpenRemote[] = [openFacilitator];
