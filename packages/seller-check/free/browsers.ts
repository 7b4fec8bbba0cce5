import type { Finding, SellerCase } from '../case';
import { type Answer, headerOf } from '../http';
import { fail, notApplicable, pass } from './findings';
import { documents } from './rules';
import type { UnpaidSeller } from './seller';

const { fetchStandard } = documents;

const origin = ['Origin', 'https://wallet.example'] as const;

/** The headers of a payment, which a page may send only if the seller allows them. */
async function paymentHeaders(seller: UnpaidSeller): Promise<string[]> {
  const offered = await seller.mpp();
  const credential = offered?.parameters[0]?.get('header') ?? 'authorization';
  return [
    ...((await seller.x402()) ? ['payment-signature'] : []),
    ...(offered ? [credential.toLowerCase()] : []),
    ...(seller.call.body === undefined ? [] : ['content-type']),
  ];
}

const namesOf = (answer: Answer, header: string) =>
  (headerOf(answer, header) ?? '').split(',').map((name) => name.trim().toLowerCase());

/** Checks sellers whose 402 pages of any origin can read. Others do not mean to sell to pages. */
const forPages =
  (check: (answer: Answer, seller: UnpaidSeller) => Promise<Finding>) =>
  async (seller: UnpaidSeller): Promise<Finding> => {
    const answer = await seller.send({ headers: [origin] });
    const allowed = headerOf(answer, 'access-control-allow-origin');
    return allowed === '*' || allowed === origin[1]
      ? check(answer, seller)
      : notApplicable('Pages of other origins cannot read the answers of the seller.');
  };

async function preflight(seller: UnpaidSeller): Promise<Answer> {
  const names = await paymentHeaders(seller);
  return seller.send({
    method: 'OPTIONS',
    headers: [
      origin,
      ['Access-Control-Request-Method', seller.call.method],
      ['Access-Control-Request-Headers', names.toSorted().join(',')],
    ],
  });
}

/** What pages of other origins need, in order to pay. */
export const browserCases: readonly SellerCase<UnpaidSeller>[] = [
  {
    id: 'browser.exposes-challenge',
    title: 'Pages can read the challenge',
    rule: fetchStandard(
      '3.3.3 HTTP responses',
      'http-responses',
      'Access-Control-Expose-Headers: Indicates which headers can be exposed as part of the response by listing their names.',
      'should',
    ),
    check: forPages(async (answer, seller) => {
      const exposed = namesOf(answer, 'access-control-expose-headers');
      const needed = [
        ...((await seller.x402()) ? ['payment-required', 'payment-response'] : []),
        ...((await seller.mpp()) ? ['www-authenticate', 'payment-receipt'] : []),
      ];
      const hidden = exposed.includes('*') ? [] : needed.filter((name) => !exposed.includes(name));
      return hidden.length === 0 ? pass : fail(`${hidden.join(', ')} cannot be read.`, answer);
    }),
  },
  {
    id: 'browser.preflight',
    title: 'A preflight is answered 2xx without a payment',
    rule: fetchStandard(
      '4.8 CORS-preflight fetch',
      'cors-preflight-fetch',
      "If a CORS check for request and response returns success and response's status is an ok status, then",
      'should',
    ),
    check: forPages(async (_, seller) => {
      const answer = await preflight(seller);
      return answer.status >= 200 && answer.status < 300 ? pass : fail('The preflight is no 2xx.', answer);
    }),
  },
  {
    id: 'browser.allows-payment',
    title: 'Pages may send the headers of a payment',
    rule: fetchStandard(
      '3.3.3 HTTP responses',
      'http-responses',
      "Access-Control-Allow-Headers: Indicates which headers are supported by the response's URL for the purposes of the CORS protocol.",
      'should',
    ),
    check: forPages(async (_, seller) => {
      const answer = await preflight(seller);
      const allowed = namesOf(answer, 'access-control-allow-headers');
      // A star does not stand for Authorization.
      const refused = (await paymentHeaders(seller)).filter(
        (name) => !allowed.includes(name) && (name === 'authorization' || !allowed.includes('*')),
      );
      return refused.length === 0 ? pass : fail(`${refused.join(', ')} cannot be sent.`, answer);
    }),
  },
  {
    id: 'browser.allows-method',
    title: 'Pages may use the method of the call',
    rule: fetchStandard(
      '3.3.3 HTTP responses',
      'http-responses',
      "Access-Control-Allow-Methods: Indicates which methods are supported by the response's URL for the purposes of the CORS protocol.",
      'should',
    ),
    check: forPages(async (_, seller) => {
      const { method } = seller.call;
      if (['GET', 'HEAD', 'POST'].includes(method)) return notApplicable(`Pages may always use ${method}.`);
      const answer = await preflight(seller);
      const allowed = namesOf(answer, 'access-control-allow-methods');
      return allowed.includes('*') || allowed.includes(method.toLowerCase())
        ? pass
        : fail(`${method} is not allowed.`, answer);
    }),
  },
];
