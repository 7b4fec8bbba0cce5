import type { HttpApp } from '@/lib/http/http-app';
import type { Job, JobsApp } from '@/lib/jobs/jobs';

/** What the operator's tools need from the app. */
export interface OperatorApp extends HttpApp, Omit<JobsApp, 'findCallService'> {
  /** Every job of the service. */
  readonly jobs: readonly Job[];
}
