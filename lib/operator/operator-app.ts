import type { HttpApp } from '@/lib/http/http-app';
import type { Job, JobsApp } from '@/lib/jobs/jobs';
import type { Check } from './audit/audit-session';
import type { Finding } from './doctor/finding';
import type { RefundStore } from './refunds/refund-store';

/** What an optional feature adds to the operator's tools. */
export interface OperatorFeature {
  /** What doctor says about it. */
  examine(): Promise<Finding[]>;
  /** What the audit checks. */
  readonly auditChecks: readonly Check[];
}

/** What the operator's tools need from the app. */
export interface OperatorApp extends HttpApp, Omit<JobsApp, 'findCallService'> {
  readonly refunds: RefundStore;
  readonly features: readonly OperatorFeature[];
  /** Every job of the service. */
  readonly jobs: readonly Job[];
}
