import { z } from 'zod';
import type { SellerCase } from '../case';
import { headerOf, headersOf, jsonOf, mediaTypeOf, send } from '../http';
import { fail, notApplicable, overMpp, pass } from './findings';
import { documents, rfcs } from './rules';
import { isLoopback, mppOf, type UnpaidSeller } from './seller';

const { x402Http, mpp } = documents;

const problem = z.looseObject({ type: z.unknown().optional(), status: z.unknown().optional() });

const standardProblems = 'https://paymentauth.org/problems/';

/** Whether a host can be reached in its own network only: its address is private, or its name has no domain. */
const isPrivate = ({ hostname }: URL) =>
  !hostname.includes('.') || /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/.test(hostname);

/** Total of all header fields that Node's HTTP client takes. */
const clientHeaderBytesMax = 16 * 1024;

/** The answer to a request without a payment, around the challenge. */
export const answer402Cases: readonly SellerCase<UnpaidSeller>[] = [
  {
    id: 'answer.is-402',
    title: 'A request without a payment is answered 402',
    rule: x402Http(
      'Payment Required Signaling',
      'payment-required-signaling',
      'The server indicates payment is required using the HTTP 402 "Payment Required" status code.',
      'must',
    ),
    async check(seller) {
      const answer = await seller.unpaid();
      return answer.status === 402 ? pass : fail('The answer is no 402.', answer);
    },
  },
  {
    id: 'answer.has-challenge',
    title: 'The 402 has a challenge of x402 or MPP in its headers',
    rule: x402Http(
      'Payment Required Signaling',
      'payment-required-signaling',
      'Mechanism: HTTP 402 status code with PAYMENT-REQUIRED header',
      'must',
    ),
    async check(seller) {
      if ((await seller.x402()) ?? (await seller.mpp())) return pass;
      const answer = await seller.unpaid();
      if (answer.status !== 402) return notApplicable('The answer is no 402.');
      const { success: isVersion1 } = z.looseObject({ x402Version: z.literal(1) }).safeParse(jsonOf(answer));
      if (isVersion1) return notApplicable('The seller takes version 1 of x402 only, which is not checked.');
      return fail('The 402 has neither PAYMENT-REQUIRED nor WWW-Authenticate: Payment.', answer);
    },
  },
  {
    id: 'answer.date',
    title: 'The answer has a Date',
    rule: rfcs[9110](
      '6.6.1',
      'An origin server with a clock MUST generate a Date header field in all 2xx (Successful), 3xx (Redirection), and 4xx (Client Error) responses',
      'must',
    ),
    async check(seller) {
      const answer = await seller.unpaid();
      return Number.isNaN(Date.parse(headerOf(answer, 'date') ?? ''))
        ? fail('The answer has no Date, or none that can be read.', answer)
        : pass;
    },
  },
  {
    id: 'answer.content-type',
    title: 'The body of the 402 has a media type',
    rule: rfcs[9110](
      '8.3',
      'A sender that generates a message containing content SHOULD generate a Content-Type header field in that message',
      'should',
    ),
    async check(seller) {
      const answer = await seller.unpaid();
      if (answer.body.length === 0) return notApplicable('The 402 has no body.');
      if (!/^[\w.+-]+\/[\w.+-]+$/.test(mediaTypeOf(answer)))
        return fail('The body has no media type.', answer);
      const isJson = /[/+]json$/.test(mediaTypeOf(answer));
      return isJson && jsonOf(answer) === undefined ? fail('The body is not JSON.', answer) : pass;
    },
  },
  {
    id: 'answer.header-size',
    title: 'The headers of the 402 are small enough for clients',
    rule: rfcs[9110](
      '5.4',
      'A client MAY discard or truncate received field lines that are larger than the client wishes to process',
      'should',
    ),
    async check(seller) {
      const answer = await seller.unpaid();
      const bytes = answer.headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
      return bytes < clientHeaderBytesMax
        ? pass
        : fail(
            `The headers have ${bytes} bytes; the HTTP client of Node takes ${clientHeaderBytesMax}.`,
            answer,
          );
    },
  },
  {
    id: 'answer.no-store',
    title: 'The 402 is not stored by caches',
    rule: mpp(
      'Caching',
      'name-caching',
      'Servers MUST send Cache-Control: no-store with 402 responses',
      'must',
    ),
    check: overMpp(({ answer }) =>
      /(^|[\s,])no-store([\s,]|$)/i.test(headerOf(answer, 'cache-control') ?? '')
        ? pass
        : fail(`Cache-Control is ${headerOf(answer, 'cache-control') ?? 'missing'}.`, answer),
    ),
  },
  {
    id: 'answer.encrypted',
    title: 'The challenge is sent over TLS only',
    rule: mpp(
      'Transport Security',
      'name-transport-security',
      'Servers MUST NOT issue Payment challenges over unencrypted HTTP.',
      'must',
    ),
    check: overMpp(async ({ answer }, seller) => {
      const { url } = seller.call;
      if (isLoopback(url) || isPrivate(url))
        return notApplicable('The seller is on this machine, or in a private network.');
      if (url.protocol === 'http:') return fail('The call is not encrypted.', answer);
      if (url.port !== '') return notApplicable('There is no usual port without encryption.');
      const plain = new URL(url);
      plain.protocol = 'http:';
      const unencrypted = await send({ method: seller.call.method, url: plain }).catch(() => undefined);
      return unencrypted && mppOf(unencrypted)
        ? fail('The same call has a challenge without encryption.', unencrypted)
        : pass;
    }),
  },
  {
    id: 'answer.no-receipt',
    title: 'The 402 has no receipt',
    rule: mpp(
      'Receipt Status Semantics',
      'name-receipt-status-semantics',
      'Servers MUST NOT return a Payment-Receipt header on error responses.',
      'must',
    ),
    check: overMpp(({ answer }) =>
      headersOf(answer, 'payment-receipt').length === 0
        ? pass
        : fail('The 402 has a Payment-Receipt.', answer),
    ),
  },
  {
    id: 'answer.problem',
    title: 'The body of the 402 is a problem document',
    rule: mpp(
      'Error Response Format',
      'name-error-response-format',
      'Servers SHOULD return Problem Details RFC9457 error bodies with 402 responses',
      'should',
    ),
    check: overMpp(({ answer }) =>
      mediaTypeOf(answer) === 'application/problem+json' && problem.safeParse(jsonOf(answer)).success
        ? pass
        : fail('The body is no application/problem+json.', answer),
    ),
  },
  {
    id: 'answer.problem-status',
    title: 'A problem document names the status that was sent',
    rule: rfcs[9457]('3.1.2', 'Generators MUST use the same status code in the actual HTTP response', 'must'),
    async check(seller) {
      const answer = await seller.unpaid();
      if (mediaTypeOf(answer) !== 'application/problem+json')
        return notApplicable('The body is no problem document.');
      const { status } = problem.safeParse(jsonOf(answer)).data ?? {};
      if (status === undefined) return notApplicable('The problem document names no status.');
      return status === answer.status ? pass : fail(`The problem document names ${String(status)}.`, answer);
    },
  },
  {
    id: 'answer.problem-type',
    title: 'The type of the problem is a standard one',
    rule: mpp(
      'Error Response Format',
      'name-error-response-format',
      'The type URI SHOULD correspond to one of the problem types defined below',
      'should',
    ),
    check: overMpp(({ answer }) => {
      const { type } = problem.safeParse(jsonOf(answer)).data ?? {};
      if (type === undefined) return notApplicable('The body is no problem document.');
      return String(type).startsWith(standardProblems) ? pass : fail(`type is ${String(type)}.`, answer);
    }),
  },
];
