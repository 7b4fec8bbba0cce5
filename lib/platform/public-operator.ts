import { z } from 'zod';

/** Settings that say who runs the service. They are public: pages, documents and `security.txt` show them. */

/** Characters that end a line, or make text appear in another order than it is stored. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must have at most ${max} characters`)
    .refine((value) => !unprintable.test(value), 'must be one line without control characters');
const emailRule = 'must be an email address such as help@example.com';
const email = z.email(emailRule).max(254, emailRule);
const publicAddress = z
  .url({ protocol: /^https$/, error: 'must be an https URL', abort: true })
  .max(500, 'must have at most 500 characters')
  .refine((value) => {
    const { username, password } = new URL(value);
    return username === '' && password === '';
  }, 'must be a URL without a user name and password')
  .transform((value) => new URL(value).href);

export const operatorSettings = {
  OPERATOR_NAME: line(100).optional(),
  OPERATOR_EMAIL: email.optional(),
  OPERATOR_ABUSE_EMAIL: email.optional(),
  OPERATOR_SECURITY_EMAIL: email.optional(),
  OPERATOR_ADDRESS: line(300).optional(),
  OPERATOR_LAW: line(100).optional(),
  OPERATOR_TERMS_URL: publicAddress.optional(),
  OPERATOR_PRIVACY_URL: publicAddress.optional(),
  OPERATOR_TERMS_DATE: z.iso.date('must be a date such as 2026-11-23').optional(),
};

/** Who runs the service, as far as the settings say. Unset details are null. */
export interface OperatorDetails {
  /** A person or a company. */
  readonly name: string | null;
  readonly email: string | null;
  /** For reports of abuse: `email` unless another address was set. The same applies to `securityEmail`. */
  readonly abuseEmail: string | null;
  readonly securityEmail: string | null;
  /** A postal address, in one line. */
  readonly address: string | null;
  /** The place whose law governs the terms, such as `Ireland`. */
  readonly law: string | null;
  /** The operator's own documents, which replace the templates. */
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  /** The date from which the terms and the privacy notice apply, YYYY-MM-DD. */
  readonly termsDate: string | null;
}

type OperatorSettings = z.output<z.ZodObject<typeof operatorSettings>>;

export function operatorDetails(settings: OperatorSettings): OperatorDetails {
  const { OPERATOR_EMAIL: contact = null } = settings;
  return {
    name: settings.OPERATOR_NAME ?? null,
    email: contact,
    abuseEmail: settings.OPERATOR_ABUSE_EMAIL ?? contact,
    securityEmail: settings.OPERATOR_SECURITY_EMAIL ?? contact,
    address: settings.OPERATOR_ADDRESS ?? null,
    law: settings.OPERATOR_LAW ?? null,
    termsUrl: settings.OPERATOR_TERMS_URL ?? null,
    privacyUrl: settings.OPERATOR_PRIVACY_URL ?? null,
    termsDate: settings.OPERATOR_TERMS_DATE ?? null,
  };
}
