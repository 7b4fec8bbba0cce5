import { type Clock, systemClock } from '@/lib/platform/clock';
import { DataKeys } from '@/lib/platform/data-keys';
import { createLog } from '@/lib/platform/log';
import { Metrics } from '@/lib/platform/metrics/metrics';
import { OngoingProblems } from '@/lib/platform/ongoing-problem';
import type { Platform } from '@/lib/platform/platform';
import { parseSettings } from '@/lib/platform/settings';
import { patientTimings } from './timings';

/** A minimal complete configuration. Nothing listens at these addresses. */
export const leastSettings = {
  DATABASE_URL: 'postgresql://unused',
  PUBLIC_URL: 'https://api.example.com',
  FILES_URL: 'https://files.example.net',
  PAY_TO_EVM: `0x${'11'.repeat(20)}`,
  BASE_RPC_URL: 'http://127.0.0.1:1',
  DATA_KEY: Buffer.alloc(32).toString('base64'),
};

/** The platform of an app: no log output, long browser timeouts, and the system clock unless a test passes its own. */
export function testPlatform(
  settings: Readonly<Record<string, string>> = {},
  clock: Clock = systemClock,
): Platform {
  const parsed = parseSettings({ ...leastSettings, ...settings });
  const log = createLog({ LOG_LEVEL: 'silent' });
  return {
    settings: parsed,
    clock,
    timings: patientTimings,
    log,
    keys: new DataKeys(parsed.DATA_KEY, parsed.NETWORKS),
    problems: new OngoingProblems(log, clock),
    metrics: new Metrics(),
    siblings: null,
  };
}
