import type { Finding, SellerCase } from '../case';
import { type RawAnswer, sendBytes } from '../wire';
import { notApplicable, pass } from './findings';
import { rfcs } from './rules';
import type { UnpaidSeller } from './seller';

const framing = (sentence: string) => rfcs[9112]('6.3', sentence, 'must');

/** What a proxy in front of a seller and the seller must read alike, so that no request hides in another. */
interface Message {
  /** The lines of the header, without the empty one. */
  readonly lines: (seller: UnpaidSeller) => readonly string[];
  readonly body?: string;
  readonly isEnded?: boolean;
  readonly wrong: (answer: RawAnswer) => string | undefined;
}

function targetOf({ call }: UnpaidSeller): string {
  return `${call.url.pathname}${call.url.search}`;
}

const startOf = (seller: UnpaidSeller) => `${seller.call.method} ${targetOf(seller)} HTTP/1.1`;
const hostOf = ({ call }: UnpaidSeller) => `Host: ${call.url.host}`;

const unless400 = ({ status }: RawAnswer) => (status === 400 ? undefined : 'The answer is no 400.');

/** Sends a message byte by byte as written. */
const withMessage =
  ({ lines: linesOf, body = '', isEnded, wrong }: Message) =>
  async (seller: UnpaidSeller): Promise<Finding> => {
    const text = `${linesOf(seller).join('\r\n')}\r\n\r\n${body}`;
    const answer = await sendBytes({ url: seller.call.url, text, isEnded, timeoutMs: seller.patienceMs });
    const problem = wrong(answer);
    if (problem === undefined) return pass;
    const shown = (message: string) => message.slice(0, 500).replaceAll('\r\n', '\n');
    const answered = answer.text.split('\r\n\r\n')[0] || 'nothing';
    return {
      result: 'fail',
      detail: `${problem}\nSent to ${seller.call.url.host}:\n${shown(text)}\nanswered:\n${shown(answered)}`,
    };
  };

/** Messages of HTTP/1.1 that no client sends. */
export const httpMessageCases: readonly SellerCase<UnpaidSeller>[] = [
  {
    id: 'message.no-host',
    title: 'A request without Host is refused',
    rule: rfcs[9112](
      '3.2',
      'A server MUST respond with a 400 (Bad Request) status code to any HTTP/1.1 request message that lacks a Host header field',
      'must',
    ),
    check: withMessage({ lines: (seller) => [startOf(seller), 'Connection: close'], wrong: unless400 }),
  },
  {
    id: 'message.two-hosts',
    title: 'A request with two Hosts is refused',
    rule: rfcs[9112](
      '3.2',
      'and to any request message that contains more than one Host header field line',
      'must',
    ),
    check: withMessage({
      lines: (seller) => [startOf(seller), hostOf(seller), 'Host: other.example', 'Connection: close'],
      wrong: unless400,
    }),
  },
  {
    id: 'message.space-before-colon',
    title: 'A header name with a space behind it is refused',
    rule: rfcs[9112](
      '5.1',
      'A server MUST reject, with [...] 400 (Bad Request), any received request message that contains whitespace between a header field name and colon.',
      'must',
    ),
    check: withMessage({
      lines: (seller) => [startOf(seller), hostOf(seller), 'X-Check : 1', 'Connection: close'],
      wrong: unless400,
    }),
  },
  {
    id: 'message.invalid-length',
    title: 'A length that is no number is refused, and the connection closed',
    rule: framing(
      'the server MUST respond with a 400 (Bad Request) status code and then close the connection',
    ),
    check: withMessage({
      lines: (seller) => [startOf(seller), hostOf(seller), 'Content-Length: 5x'],
      body: 'hello',
      wrong: (answer) => unless400(answer) ?? (answer.isClosed ? undefined : 'The connection stays open.'),
    }),
  },
  {
    id: 'message.two-lengths',
    title: 'Lengths that differ are refused, and the connection closed',
    rule: framing(
      'with an invalid Content-Length header field, then the message framing is invalid and the recipient MUST treat it as an unrecoverable error',
    ),
    check: withMessage({
      lines: (seller) => [startOf(seller), hostOf(seller), 'Content-Length: 5', 'Content-Length: 6'],
      body: 'hello',
      wrong: (answer) => unless400(answer) ?? (answer.isClosed ? undefined : 'The connection stays open.'),
    }),
  },
  {
    id: 'message.length-and-chunks',
    title: 'A connection is closed after a request with both a length and chunks',
    rule: rfcs[9112](
      '6.1',
      'Regardless, the server MUST close the connection after responding to such a request to avoid the potential attacks.',
      'must',
    ),
    check: withMessage({
      lines: (seller) => [startOf(seller), hostOf(seller), 'Content-Length: 5', 'Transfer-Encoding: chunked'],
      body: '0\r\n\r\n',
      wrong: ({ isClosed }) => (isClosed ? undefined : 'The connection stays open.'),
    }),
  },
  {
    id: 'message.truncated-body',
    title: 'A request whose body ends too early is not served',
    rule: framing(
      'If the sender closes the connection [...] the recipient MUST consider the message to be incomplete and close the connection.',
    ),
    check: withMessage({
      lines: (seller) => [startOf(seller), hostOf(seller), 'Content-Length: 1000'],
      body: '{"text":',
      isEnded: true,
      // No rule says how soon the connection is closed.
      wrong: ({ status = 0 }) =>
        status >= 200 && status < 300 ? 'The incomplete request was served.' : undefined,
    }),
  },
  {
    id: 'message.head-content',
    title: 'The answer to HEAD has no content',
    rule: rfcs[9110](
      '9.3.2',
      'The HEAD method is identical to GET except that the server MUST NOT send content in the response.',
      'must',
    ),
    async check(seller) {
      if (seller.call.method !== 'GET') return notApplicable('The call is no GET.');
      return withMessage({
        lines: () => [`HEAD ${targetOf(seller)} HTTP/1.1`, hostOf(seller), 'Connection: close'],
        wrong: ({ text }) =>
          text.split('\r\n\r\n').slice(1).join('') === '' ? undefined : 'There is content.',
      })(seller);
    },
  },
];
