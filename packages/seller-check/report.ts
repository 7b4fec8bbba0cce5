import type { CaseResult } from './run-cases';

const labels = { pass: 'pass', fail: 'FAIL', 'not applicable': 'n/a', error: 'error' } as const;

const withResult = (results: readonly CaseResult[], result: keyof typeof labels) =>
  results.filter(({ finding }) => finding.result === result);

/** The failed cases that make the whole check fail. */
const failedMusts = (results: readonly CaseResult[]) =>
  withResult(results, 'fail').filter(({ rule }) => rule.strength === 'must');

/** A line for each case; below those that did not pass, why. */
export function formatResult({ id, title, rule, finding }: CaseResult): string {
  const label = finding.result === 'fail' && rule.strength === 'should' ? 'warn' : labels[finding.result];
  const line = `${label.padEnd(5)}  ${id.padEnd(36)}  ${title}`;
  if (finding.result === 'pass') return line;
  const reasons =
    finding.result === 'fail'
      ? [`${rule.document}, ${rule.section}: "${rule.sentence}"`, rule.url, ...finding.detail.split('\n')]
      : finding.detail.split('\n');
  return [line, ...reasons.map((reason) => `       ${printable(reason)}`)].join('\n');
}

/** How many cases ended how. */
export function formatSummary(results: readonly CaseResult[]): string {
  const count = (result: keyof typeof labels) => withResult(results, result).length;
  const musts = failedMusts(results).length;
  const errors = count('error');
  return [
    `${count('pass')} passed, ${count('fail')} failed, ${count('not applicable')} not applicable`,
    ...(count('fail') > 0
      ? [`Of the failed rules, ${musts} must be kept, and ${count('fail') - musts} should be.`]
      : []),
    ...(errors > 0 ? [`${errors} could not be checked.`] : []),
  ].join('\n');
}

/** The same for machines. */
export function formatJson(seller: string, results: readonly CaseResult[]): string {
  return JSON.stringify({ seller, results }, null, 2);
}

/** 1 if the seller breaks a rule that must be kept; otherwise 2 if something could not be checked. */
export function exitCodeOf(results: readonly CaseResult[]): 0 | 1 | 2 {
  if (failedMusts(results).length > 0) return 1;
  return withResult(results, 'error').length > 0 ? 2 : 0;
}

/** A seller's text must not control the terminal. */
const printable = (text: string) => text.replaceAll(/\p{C}/gu, '\u{fffd}');
