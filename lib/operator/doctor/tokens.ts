import type { Settings } from '@/lib/platform/settings';
import { type Finding, failed, warning } from './finding';

/** Tokens that are easy to guess, or that open more than their holders need. */
export function checkTokens(settings: Settings): Finding[] {
  const { OPERATOR_TOKEN, METRICS_TOKEN, CRON_SECRET } = settings;
  const found: Finding[] = [];
  for (const [name, token] of Object.entries({ OPERATOR_TOKEN, METRICS_TOKEN, CRON_SECRET })) {
    if (token === undefined || new Set(token).size >= 8) continue;
    found.push(
      failed(
        name,
        'it is easy to guess',
        'Make one with: node -p "crypto.randomBytes(24).toString(\'base64url\')"',
      ),
    );
  }
  if (OPERATOR_TOKEN !== undefined && METRICS_TOKEN === undefined) {
    found.push(
      warning(
        'METRICS_TOKEN',
        'it is not set, so OPERATOR_TOKEN opens /metrics, and whoever reads the metrics can sign in to the console',
        'Set it to a token of its own, and give that to Prometheus.',
      ),
    );
  }
  if (CRON_SECRET !== undefined && [OPERATOR_TOKEN, METRICS_TOKEN].includes(CRON_SECRET)) {
    found.push(
      warning(
        'CRON_SECRET',
        'it is also the token of the console or of the metrics, so the scheduler can use them',
        'Make another one.',
      ),
    );
  }
  return found;
}
