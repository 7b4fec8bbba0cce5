import type { Finding, FindingStatus } from './finding';

const colors: Readonly<Record<FindingStatus, number>> = { ok: 32, warning: 33, failed: 31, skipped: 90 };

/** A finding as text: one line, and a second one for the advice. */
export function formatFinding({ about, status, message, advice }: Finding, hasColor: boolean): string {
  const label = status.padEnd(8);
  const colored = hasColor ? `\u001b[${colors[status]}m${label}\u001b[0m` : label;
  const line = `${colored} ${about}: ${message}`;
  return advice === undefined ? line : `${line}\n         ${advice}`;
}

/** The last line: how many checks ended in each way. */
export function formatSummary(findings: readonly Finding[]): string {
  const count = (wanted: FindingStatus) => findings.filter(({ status }) => status === wanted).length;
  return `${count('ok')} ok, ${count('warning')} warnings, ${count('failed')} failed, ${count('skipped')} skipped`;
}
