import type { HttpApp } from '@/lib/http/http-app';
import type { Job, JobsApp } from '@/lib/jobs/jobs';
import type { RefundStore } from './refunds/refund-store';

/** What the operator's tools need from the app. */
export interface OperatorApp extends HttpApp, Omit<JobsApp, 'findCallService'> {
  readonly refunds: RefundStore;
  /** Every job of the service. */
  readonly jobs: readonly Job[];
}
