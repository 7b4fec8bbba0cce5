import { z } from 'zod';
import type { Finding, SellerCase } from '../case';
import { type Answer, headerOf, jsonOf, mediaTypeOf } from '../http';
import { fail, notApplicable, pass } from './findings';
import { documents, rfcs } from './rules';
import type { UnpaidSeller } from './seller';

/** Checks a document that sellers may have. */
const ifPresent =
  (
    path: string,
    check: (answer: Answer, seller: UnpaidSeller) => Finding | Promise<Finding>,
    accept = '*/*',
  ) =>
  async (seller: UnpaidSeller): Promise<Finding> => {
    const answer = await seller.read(path, 'GET', [['Accept', accept]]);
    // Sites of one page answer every address with that page.
    const isPage = mediaTypeOf(answer) === 'text/html' && !path.endsWith('.txt');
    return answer.status === 200 && !isPage
      ? check(answer, seller)
      : notApplicable(`There is no ${path} (${answer.status}).`);
  };

const apiCatalog = '/.well-known/api-catalog';
const link = z.looseObject({ href: z.string() });
const context = z.looseObject({ anchor: z.string().optional() });
const linkset = z.looseObject({ linkset: z.array(context) });

/** The values of relations, which all are lists of links. */
const relationsOf = (set: z.infer<typeof linkset>) =>
  set.linkset.flatMap((entry) => Object.entries(entry).filter(([name]) => name !== 'anchor'));

const jwks = z.looseObject({ keys: z.array(z.looseObject({ kty: z.unknown().optional() })) });
/** The members of private and symmetric keys (RFC 7518). */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** Whether a document is UTF-8 without characters that it lacks. */
const isUtf8 = ({ body }: Answer) => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(body);
    return true;
  } catch {
    return false;
  }
};

/** Documents at well-known addresses of the seller's origin, where it has them. */
export const documentCases: readonly SellerCase<UnpaidSeller>[] = [
  {
    id: 'document.llms-txt',
    title: '/llms.txt begins with a heading',
    rule: documents.llmsTxt(
      'Format',
      'format',
      'An H1 with the name of the project or site. This is the only required section',
      'must',
    ),
    check: ifPresent('/llms.txt', (answer) => {
      if (mediaTypeOf(answer) === 'text/html') return notApplicable('There is a page instead of /llms.txt.');
      return /^\uFEFF?\s*(# \S|\S[^\n]*\n=+[ \t]*(\n|$))/.test(answer.body.toString('utf8'))
        ? pass
        : fail('There is no H1.', answer);
    }),
  },
  {
    id: 'document.api-catalog',
    title: '/.well-known/api-catalog is a linkset',
    rule: rfcs[9727](
      '4',
      'The Publisher MUST publish the API catalog document in the Linkset format application/linkset+json',
      'must',
    ),
    check: ifPresent(
      apiCatalog,
      (answer) => {
        if (mediaTypeOf(answer) !== 'application/linkset+json')
          return fail('It has another media type.', answer);
        return linkset.safeParse(jsonOf(answer)).success ? pass : fail('There is no linkset.', answer);
      },
      'application/linkset+json',
    ),
  },
  {
    id: 'document.api-catalog-links',
    title: 'Every relation of the API catalog is a list of links',
    rule: rfcs[9264]('4.2.3', 'Each link target object MUST [...] an "href" member', 'must'),
    check: ifPresent(
      apiCatalog,
      (answer) => {
        const { data } = linkset.safeParse(jsonOf(answer));
        if (data === undefined) return notApplicable('There is no linkset.');
        const wrong = relationsOf(data).filter(([, value]) => !z.array(link).min(1).safeParse(value).success);
        return wrong.length === 0 ? pass : fail(`Not so: ${wrong.map(([name]) => name).join(', ')}.`, answer);
      },
      'application/linkset+json',
    ),
  },
  {
    id: 'document.api-catalog-head',
    title: 'HEAD of the API catalog has a link to it',
    rule: rfcs[9727](
      '2',
      'SHALL resolve an HTTPS HEAD request to /.well-known/api-catalog with a response including a Link header',
      'must',
    ),
    check: ifPresent(apiCatalog, async (_, seller) => {
      const answer = await seller.read(apiCatalog, 'HEAD');
      return /rel\s*=\s*"?[^";]*\bapi-catalog\b/i.test(headerOf(answer, 'link') ?? '')
        ? pass
        : fail('There is no Link with the relation api-catalog.', answer);
    }),
  },
  {
    id: 'document.robots',
    title: '/robots.txt is plain text in UTF-8',
    rule: rfcs[9309](
      '2.3',
      'The file MUST be UTF-8 encoded (as defined in [RFC3629]) and Internet Media Type "text/plain"',
      'must',
    ),
    check: ifPresent('/robots.txt', (answer) => {
      if (mediaTypeOf(answer) === 'text/html')
        return notApplicable('There is a page instead of /robots.txt.');
      return mediaTypeOf(answer) === 'text/plain' && isUtf8(answer)
        ? pass
        : fail('It is something else.', answer);
    }),
  },
  {
    id: 'document.jwks',
    title: 'The key set has keys, each with its type',
    rule: rfcs[7517](
      '5',
      'The JSON object MUST have a "keys" member, with its value being an array of JWKs.',
      'must',
    ),
    check: ifPresent('/.well-known/jwks.json', (answer) => {
      const { data } = jwks.safeParse(jsonOf(answer));
      if (data === undefined) return fail('There is no list of keys.', answer);
      return data.keys.every(({ kty }) => typeof kty === 'string') ? pass : fail('A key has no kty.', answer);
    }),
  },
  {
    id: 'document.jwks-public',
    title: 'The key set has no private keys',
    rule: rfcs[7517](
      '9.2',
      'Private and symmetric keys MUST be protected from disclosure to unintended parties.',
      'must',
    ),
    check: ifPresent('/.well-known/jwks.json', (answer) => {
      const { data } = jwks.safeParse(jsonOf(answer));
      if (data === undefined) return notApplicable('There is no list of keys.');
      const isSecret = data.keys.some((key) => secretMembers.some((member) => member in key));
      return isSecret
        ? { result: 'fail', detail: `A key of ${answer.request.url.href} has private members.` }
        : pass;
    }),
  },
  {
    id: 'document.did',
    title: 'The DID document says whose it is',
    rule: documents.didCore(
      '5.1.1 DID Subject',
      'did-subject',
      'The value of id MUST be a string that conforms to the rules in Section 3.1 DID Syntax',
      'must',
    ),
    check: ifPresent('/.well-known/did.json', (answer) => {
      const { data } = z.looseObject({ id: z.string() }).safeParse(jsonOf(answer));
      return /^did:[a-z0-9]+:[A-Za-z0-9._:%-]+$/.test(data?.id ?? '')
        ? pass
        : fail('Its id is no DID.', answer);
    }),
  },
];
