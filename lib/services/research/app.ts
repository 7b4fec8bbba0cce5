import type { ReadingPool } from '@/lib/reader/pool';
import type { ServiceApp } from '@/lib/services/service';

/** What searching and reading need from the app. */
export interface ResearchApp extends ServiceApp {
  readonly reading: ReadingPool;
}
