import type { Finding, SellerCase } from '../case';
import { type Answer, headerOf } from '../http';
import { sendBytes } from '../wire';
import { fail, notApplicable, pass } from './findings';
import { documents, rfcs } from './rules';
import { type Changes, mppOf, type UnpaidSeller, x402Of } from './seller';

const badRequest = rfcs[9110](
  '15.5.1',
  'the server cannot or will not process the request due to something that is perceived to be a client error (e.g., malformed request syntax',
  'should',
);

const takesBody = ({ call }: UnpaidSeller) => ['POST', 'PUT', 'PATCH'].includes(call.method);

/** A client error, as opposed to a call that is served and an error of the server. */
const unlessClientError = (answer: Answer): Finding =>
  answer.status >= 400 && answer.status < 500 ? pass : fail('The answer is no 4xx.', answer);

const withBody =
  (changes: Changes) =>
  async (seller: UnpaidSeller): Promise<Finding> =>
    takesBody(seller)
      ? unlessClientError(await seller.send(changes))
      : notApplicable('The call takes no body.');

/** Which protocols an answer can be paid over. */
const protocolsOf = (answer: Answer) =>
  [x402Of(answer) ? 'x402' : '', mppOf(answer) ? 'MPP' : ''].filter(Boolean).join(' and ');

const accepted: readonly (readonly [string, Changes['headers']])[] = [
  ['JSON', [['Accept', 'application/json']]],
  ['images only', [['Accept', 'image/png']]],
  [
    'HTML, as a browser does',
    [
      ['Accept', 'text/html,application/xhtml+xml'],
      ['User-Agent', 'Mozilla/5.0'],
    ],
  ],
];

const largeBytes = 10 ** 9;

/** Requests that clients send by mistake, or in order to find weaknesses. */
export const requestCases: readonly SellerCase<UnpaidSeller>[] = [
  {
    id: 'request.any-accept',
    title: 'The challenge is the same whatever media type the client prefers',
    rule: documents.x402Http(
      'Payment Required Signaling',
      'payment-required-signaling',
      'Mechanism: HTTP 402 status code with PAYMENT-REQUIRED header',
      'must',
    ),
    async check(seller) {
      const protocols = protocolsOf(await seller.unpaid());
      if (protocols === '') return notApplicable('There is no challenge.');
      for (const [what, headers] of accepted) {
        const answer = await seller.send({ headers });
        // A seller may have nothing for a client that takes images only (RFC 9110, 15.5.7).
        if (answer.status === 406) continue;
        if (answer.status !== 402 || protocolsOf(answer) !== protocols)
          return fail(`There is no such challenge for a client that accepts ${what}.`, answer);
      }
      return pass;
    },
  },
  {
    id: 'request.vary',
    title: 'Answers that depend on Accept say so, unless they are not stored',
    rule: rfcs[9110](
      '12.5.5',
      'An origin server SHOULD generate a Vary header field on a cacheable response when it wishes that response to be selectively reused',
      'should',
    ),
    async check(seller) {
      const plain = await seller.unpaid();
      const control = headerOf(plain, 'cache-control') ?? '';
      // Of a 402, caches store only what says how long it stays fresh.
      if (/no-store|private/i.test(control) || !/max-age|s-maxage|public/i.test(control))
        return notApplicable('The answer is not stored by caches.');
      const html = await seller.send({ headers: accepted.at(-1)?.[1] });
      const typeOf = (answer: Answer) => headerOf(answer, 'content-type');
      if (typeOf(plain) === typeOf(html)) return notApplicable('The answer does not depend on Accept.');
      return /accept(\s*,|\s*$)|\*/i.test(headerOf(plain, 'vary') ?? '')
        ? pass
        : fail('Its media type depends on Accept, and it may be stored, but has no Vary: Accept.', plain);
    },
  },
  {
    id: 'request.head',
    title: 'HEAD is answered like GET',
    rule: rfcs[9110](
      '9.3.2',
      'The server SHOULD send the same header fields in response to a HEAD request as it would have sent [...] GET.',
      'should',
    ),
    async check(seller) {
      if (seller.call.method !== 'GET') return notApplicable('The call is no GET.');
      const [get, head] = [await seller.unpaid(), await seller.send({ method: 'HEAD' })];
      // That is its right (RFC 9110, 9.1): a HEAD that is paid for would return nothing.
      if (head.status === 405) return notApplicable('The call does not allow HEAD.');
      return head.status === get.status && protocolsOf(head) === protocolsOf(get)
        ? pass
        : fail(`GET is answered ${get.status}, HEAD ${head.status}.`, head);
    },
  },
  {
    id: 'request.method-not-allowed',
    title: 'A 405 lists the methods that are allowed',
    rule: rfcs[9110](
      '15.5.6',
      "The origin server MUST generate an Allow header field in a 405 response containing a list of the target resource's currently supported methods.",
      'must',
    ),
    async check(seller) {
      // Methods that change nothing, whatever else there is at this address.
      const methods = ['PROPFIND', 'GET'].filter((method) => method !== seller.call.method);
      const answers: Answer[] = [];
      for (const method of methods) answers.push(await seller.send({ method, body: undefined }));
      const refused = answers.filter(({ status }) => status === 405);
      if (refused.length === 0) return notApplicable('No method was answered 405.');
      const without = refused.find((answer) => headerOf(answer, 'allow') === undefined);
      return without ? fail('The 405 has no Allow.', without) : pass;
    },
  },
  {
    id: 'request.body-not-json',
    title: 'A body that is cut off is a client error',
    rule: badRequest,
    check: withBody({ body: '{"text":' }),
  },
  {
    id: 'request.body-empty',
    title: 'A body that is missing is a client error',
    rule: badRequest,
    check: withBody({ body: '' }),
  },
  {
    id: 'request.body-deep',
    title: 'A body of ten thousand nested lists is a client error',
    rule: badRequest,
    check: withBody({ body: `${'['.repeat(10_000)}${']'.repeat(10_000)}` }),
  },
  {
    id: 'request.body-not-utf8',
    title: 'A body that is not UTF-8 is a client error',
    rule: badRequest,
    check: withBody({ body: Buffer.from([0x22, 0xff, 0xfe, 0x00, 0x22]) }),
  },
  {
    id: 'request.body-other-type',
    title: 'A body of an unknown media type is a client error',
    rule: rfcs[9110](
      '15.5.16',
      'the origin server is refusing to service the request because the content is in a format not supported by this method',
      'should',
    ),
    check: withBody({ headers: [['Content-Type', 'application/x-seller-check']] }),
  },
  {
    id: 'request.body-large',
    title: 'A body of a gigabyte is refused before it is read',
    rule: rfcs[9110](
      '15.5.14',
      'the server is refusing to process a request because the request content is larger than the server is willing or able to process',
      'should',
    ),
    async check(seller) {
      if (!takesBody(seller)) return notApplicable('The call takes no body.');
      const { url, method } = seller.call;
      const lines = [
        `${method} ${url.pathname}${url.search} HTTP/1.1`,
        `Host: ${url.host}`,
        'Content-Type: application/json',
        `Content-Length: ${largeBytes}`,
      ];
      const text = `${lines.join('\r\n')}\r\n\r\n"${'x'.repeat(2 ** 16)}`;
      const {
        status,
        isClosed,
        text: answered,
      } = await sendBytes({ url, text, timeoutMs: seller.patienceMs });
      if (status === undefined)
        return isClosed ? pass : notApplicable('The seller waits for the body, so its limit does not show.');
      if (status >= 400 && status < 500) return pass;
      return { result: 'fail', detail: `${lines.join('\n')}\nanswered:\n${answered.slice(0, 500)}` };
    },
  },
  {
    id: 'request.null-in-path',
    title: 'A null byte in the path is no error of the server',
    rule: badRequest,
    async check(seller) {
      const url = new URL(seller.call.url);
      url.pathname += '%00';
      const answer = await seller.send({ url });
      return answer.status < 500 ? pass : fail('The answer is a 5xx.', answer);
    },
  },
  {
    id: 'request.long-url',
    title: 'A URL of 8,000 bytes is answered as a shorter one',
    rule: rfcs[9110](
      '4.1',
      'It is RECOMMENDED that all senders and recipients support, at a minimum, URIs with lengths of 8000 octets in protocol elements.',
      'should',
    ),
    async check(seller) {
      const url = new URL(seller.call.url);
      const padding = 8_000 - url.href.length - '&check='.length;
      if (padding <= 0) return notApplicable('The URL is longer.');
      url.search += `${url.search ? '&' : '?'}check=${'x'.repeat(padding)}`;
      const answer = await seller.send({ url });
      return [413, 414, 431].includes(answer.status) || answer.status >= 500
        ? fail('The URL is too long for the seller.', answer)
        : pass;
    },
  },
  {
    id: 'request.accept-payment',
    title: 'Accept-Payment leaves out what the client does not take',
    rule: documents.mpp(
      'Client Payment Preferences',
      'client-payment-preferences',
      'Filter challenges to those matching at least one declared range with q>0',
      'should',
    ),
    async check(seller) {
      const kinds = (answer: Answer) => [
        ...new Set(mppOf(answer)?.challenges.map(({ method, intent }) => `${method}/${intent}`)),
      ];
      const [first, ...others] = kinds(await seller.unpaid());
      if (first === undefined || others.length === 0)
        return notApplicable('The seller offers fewer than two kinds of payment over MPP.');
      const answer = await seller.send({
        headers: [['Accept-Payment', `${first};q=0, ${others.join(', ')}`]],
      });
      return kinds(answer).includes(first) ? fail(`${first} is offered all the same.`, answer) : pass;
    },
  },
];
