import type { HttpApp } from '@/lib/http/http-app';
import type { JobsApp } from '@/lib/jobs/jobs';

/** What the operator's tools need from the app. */
export interface OperatorApp extends HttpApp, JobsApp {}
