import type { ServiceApp } from '@/lib/services/service';
import type { ResponseSignals } from './response-signals';

/** What the form service needs from the app. */
export interface FormsApp extends ServiceApp {
  readonly responseSignals: ResponseSignals;
}
