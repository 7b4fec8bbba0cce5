import type { ReadingPool } from '@/lib/services/research/reader/pool';
import type { ServiceApp } from '@/lib/services/service';

/** What searching and reading need from the app. */
export interface ResearchApp extends ServiceApp {
  readonly reading: ReadingPool;
}
