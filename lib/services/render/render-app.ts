import type { ServiceApp } from '@/lib/services/service';
import type { PrintingPool } from './chromium/pool';

/** What the renderer needs from the app. */
export interface RenderApp extends ServiceApp {
  readonly printing: PrintingPool;
}
