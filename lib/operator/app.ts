import type { HttpApp } from '@/lib/http/app';
import type { RecoverySlots } from './recovery';

/** What the jobs need from the app. */
export interface OperatorApp extends HttpApp {
  readonly recovery: RecoverySlots;
}
