import type { Rule } from '../case';

type Cite = (section: string, anchor: string, sentence: string, strength: Rule['strength']) => Rule;

const document =
  (name: string, url: string): Cite =>
  (section, anchor, sentence, strength) => ({
    document: name,
    section,
    sentence,
    url: anchor ? `${url}#${anchor}` : url,
    strength,
  });

const x402Specs = 'https://github.com/x402-foundation/x402/blob/main/specs';

/** The documents that cases rest on. Each makes a rule of a section, its anchor and its sentence. */
export const documents = {
  x402: document('x402 version 2', `${x402Specs}/x402-specification-v2.md`),
  x402Http: document('x402 version 2, HTTP transport', `${x402Specs}/transports-v2/http.md`),
  x402Evm: document('x402 scheme exact on EVM', `${x402Specs}/schemes/exact/scheme_exact_evm.md`),
  x402Svm: document('x402 scheme exact on SVM', `${x402Specs}/schemes/exact/scheme_exact_svm.md`),
  paymentIdentifier: document(
    'x402 extension payment-identifier',
    `${x402Specs}/extensions/payment_identifier.md`,
  ),
  bazaar: document('x402 extension bazaar', `${x402Specs}/extensions/bazaar.md`),
  mpp: document('MPP core draft-00', 'https://paymentauth.org/draft-httpauth-payment-00'),
  mppCharge: document('MPP charge intent draft-00', 'https://paymentauth.org/draft-payment-intent-charge-00'),
  mppEvm: document('MPP EVM charge draft-00', 'https://paymentauth.org/draft-evm-charge-00'),
  mppDiscovery: document('MPP discovery draft-00', 'https://paymentauth.org/draft-payment-discovery-00'),
  fetchStandard: document('Fetch Standard', 'https://fetch.spec.whatwg.org/'),
  eip55: document('EIP-55', 'https://eips.ethereum.org/EIPS/eip-55'),
  openApi: document('OpenAPI 3.1', 'https://spec.openapis.org/oas/v3.1.0'),
  llmsTxt: document('llms.txt', 'https://llmstxt.org/'),
  didCore: document('DID Core 1.0', 'https://www.w3.org/TR/did-core/'),
} as const satisfies Record<string, Cite>;

const rfc =
  (number: number) =>
  (section: string, sentence: string, strength: Rule['strength']): Rule => ({
    document: `RFC ${number}`,
    section,
    sentence,
    url: `https://www.rfc-editor.org/rfc/rfc${number}#section-${section}`,
    strength,
  });

/** Makes a rule of a section of an RFC and its sentence. */
export const rfcs = {
  7517: rfc(7517),
  9110: rfc(9110),
  9112: rfc(9112),
  9264: rfc(9264),
  9309: rfc(9309),
  9457: rfc(9457),
  9727: rfc(9727),
} as const;
