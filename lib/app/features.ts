import { openAccessLog } from '@/lib/http/server/access-log';
import { openFacilitator } from '@/lib/payments/facilitator/open-facilitator';
import { openTracing } from '@/lib/platform/tracing/open-tracing';
import type { Feature, OpenObserver, OpenRemote, OpenWatcher } from './feature';
import { channels } from './open-channels';

/** Optional ways to pay. Nothing names an optional feature but this file and its own. */
export const features: readonly Feature[] = [channels];

/** What may follow the requests of a started app. */
export const observers: readonly OpenObserver[] = [openTracing];

/** What may watch the requests of our listener. */
export const watchers: readonly OpenWatcher[] = [openAccessLog];

/** Optional servers that settle on a network instead of our own keys; the first that is set does. */
export const remoteSettlers: readonly OpenRemote[] = [openFacilitator];
