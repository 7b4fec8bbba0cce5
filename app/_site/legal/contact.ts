import type { LegalFacts } from './facts';
import { list, mailLink, plain } from './markdown';
import { securityPath } from './security-txt';

/** `/contact`: who runs the service and how to reach them. */
export function contactText(facts: LegalFacts): string {
  return `${['# Contact', ...who(facts), ...payments(facts), ...security(facts)].join('\n\n')}\n`;
}

const notPublished = 'not published';

function who({ site: { operator: details } }: LegalFacts): string[] {
  const { name, email, address } = details;
  const mailbox = email === null ? notPublished : mailLink(email);
  return [
    ...(name === null
      ? [
          '**Nobody is named as the operator of this service.** You cannot tell from this page who receives payments or answers for content.',
        ]
      : []),
    list([
      `**Operator**: ${name === null ? notPublished : plain(name)}`,
      `**Email**: ${mailbox}`,
      `**Postal address**: ${address === null ? notPublished : plain(address)}`,
    ]),
    ...(email === null
      ? [
          'Without an email address there is no way to ask the operator for anything, such as a refund. Forms and files can be [reported](/abuse) without one.',
        ]
      : []),
    'The software is open source. Its authors do not run this service and cannot help with payments or content.',
  ];
}

function payments({ site: { operator: details } }: LegalFacts): string[] {
  return [
    '## Help with a payment',
    'First ask the service: it knows whether you were charged.',
    list([
      'If a response was lost, send the identical request again. You are not charged twice: [lost responses](/docs/lost-answers).',
      '`GET /v1/paid-calls/{id}`, with the `Paid-Call-Id` of a response, returns the status of a call.',
      '[Errors](/docs/errors) says for every code whether you were charged, and [status](/docs/status) what works now.',
    ]),
    ...(details.email === null
      ? []
      : [
          'If that does not help, write, and give the `Paid-Call-Id` or the transaction and its network. Never send a private key, a recovery phrase, or the token of an account or a form. Nobody needs them to help you.',
        ]),
  ];
}

function security({ site: { operator: details } }: LegalFacts): string[] {
  const { securityEmail } = details;
  return [
    '## Report a vulnerability',
    securityEmail === null
      ? 'The operator has published no address for reports about security.'
      : `Write to ${mailLink(securityEmail)}; programs find the address in [security.txt](${securityPath}). Say how to repeat it. Use your own wallet and content to test, do not disturb others, and give the operator time to fix it before you publish it.`,
  ];
}
