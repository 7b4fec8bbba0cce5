import type { Finding } from '../case';
import type { Reply } from './client';

/** What the checks of cases return. */
export const pass: Finding = { result: 'pass' };

/** @param detail what the seller did, with enough of it to repeat it by hand */
export const fail = (...detail: readonly (string | Reply)[]): Finding => ({
  result: 'fail',
  detail: detail.map((part) => (typeof part === 'string' ? part : describeReply(part))).join('\n'),
});

/** @param detail why the rule says nothing about this seller */
export const notApplicable = (detail: string): Finding => ({ result: 'not applicable', detail });

const isOfInterest =
  /^(payment-|www-authenticate$|cache-control$|content-type$|retry-after$|idempotency|paid-call)/;

/** A request and its answer, shortened. */
export function describeReply({ request, status, headers, text, failure }: Reply): string {
  const sent = Object.entries(request.headers).map(
    ([name, value]) => ` -H '${name}: ${shortened(value, 2_000)}'`,
  );
  const data = request.body === undefined ? '' : ` --data-raw '${shortened(request.body, 500)}'`;
  const received = [...headers]
    .filter(([name]) => isOfInterest.test(name))
    .map(([name, value]) => `${name}: ${shortened(value, 400)}`);
  return [
    `curl -i -X ${request.method} '${request.url}'${sent.join('')}${data}`,
    failure === null ? `answered ${status}` : `no answer: ${failure}`,
    ...received,
    ...(text ? ['', shortened(text, 400)] : []),
  ].join('\n');
}

const shortened = (text: string, max: number) =>
  text.length <= max ? text : `${text.slice(0, max)}… (${text.length} characters)`;
