import type { ServiceApp } from '@/lib/services/service';
import type { LinkTraffic } from './link-traffic';

/** What the files origin needs from the app. */
export interface UploadsApp extends ServiceApp {
  readonly linkTraffic: LinkTraffic;
}
