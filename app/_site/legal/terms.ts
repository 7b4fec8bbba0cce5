import { operations } from '@/lib/catalog';
import { depositLimits } from '@/lib/catalog/billing';
import { formLimits } from '@/lib/catalog/form-questions';
import { uploadLimits } from '@/lib/catalog/uploads';
import { offersOf } from '@/lib/discovery/openapi/payment-info';
import type { LegalFacts } from './facts';
import { list, pageLink, plain } from './markdown';

/** `/terms`: the operator's own terms, or a template that is true of every service like this one. */
export function termsText(facts: LegalFacts): string {
  const { termsUrl } = facts.site.operator;
  const parts = termsUrl === null ? [opening(facts), ...rules(facts)] : ownTerms(facts, termsUrl);
  return `${['# Terms of service', ...parts].join('\n\n')}\n`;
}

function ownTerms({ operator }: LegalFacts, url: string): string[] {
  return [
    `The terms of ${operator} are at ${pageLink(url)}. Read them before you pay.`,
    'What the service does with payments is explained in [How payment works](/docs/payments), and what it stores in the [privacy notice](/privacy).',
  ];
}

function opening({ site: { operator: details, publicUrl }, operator }: LegalFacts): string {
  if (details.name === null) {
    return [
      '**Nobody is named as the operator of this service.**',
      'This page says what the service does. It is not an agreement, because it does not say with whom. You cannot tell from it who receives your money or who answers for the service, so do not pay more than you can afford to lose, and send nothing confidential.',
    ].join(' ');
  }
  const since = details.termsDate === null ? '' : ` They apply from ${dateInWords(details.termsDate)}.`;
  return `These are the terms of **${operator}** (“the operator”) for the service at ${plain(new URL(publicUrl).host)}.${since} If you pay for a call, or let an agent or a program pay for it, you accept them for that call. ${operator} can be reached as the [contact page](/contact) says.`;
}

/** A date of the settings in American English. */
export function dateInWords(date: string): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(date));
}

function rules(facts: LegalFacts): string[] {
  const { site } = facts;
  return [
    ...payments(facts),
    ...content(),
    ...notAllowed(),
    ...availability(),
    ...(site.operator.name === null ? [] : agreement(facts)),
    '## Contact',
    'Questions, refunds and complaints: [contact](/contact). Forms and files that should not be there: [report abuse](/abuse).',
  ];
}

function payments({ site }: LegalFacts): string[] {
  const prices = operations
    .filter((operation) => !operation.variablePrice && site.isAvailable(operation))
    .map(({ price }) => Number(price));
  const networks = offersOf('x402', site).map(({ network }) => network.label);
  return [
    '## Prices and payment',
    list([
      `Each call has a fixed price, from ${Math.min(...prices)} to ${Math.max(...prices)} USDC. It is stated before you pay; [the reference](/docs/reference) lists all calls. There is no subscription and no minimum.`,
      ...(site.isTest ? ['This service takes only test USDC, which has no value.'] : []),
      `Payments are made in USDC on ${inWords(networks)}. A payment is public there, and nobody can reverse it. The service pays the network’s fee.`,
      'A request that is refused before its payment costs nothing. A 402 response always means that nothing was charged.',
      'A call is charged once, however often the same request is sent again. [Errors](/docs/errors) says for each error whether you were charged.',
    ]),
    '## When something fails after you paid',
    list([
      'The service tries again by itself. If it cannot deliver, the call waits for the operator, who refunds it. We do not commit to a time.',
      'Searches and pages from third parties are paid for before the third party is asked. If it rejects the request or fails, the response says so, and the payment is kept.',
      'The `Paid-Call-Id` of a response shows what happened to the payment: `GET /v1/paid-calls/{id}`, as [lost responses](/docs/lost-answers) explains.',
    ]),
    '## Refunds',
    'Nothing is refunded automatically. The operator can refund a call once, to the wallet that paid or into a prepaid account. [Ask for it](/contact) with the `Paid-Call-Id`.',
    '## Prepaid accounts',
    list([
      `A deposit is from ${depositLimits.min} to ${depositLimits.max} USDC. It can be spent on calls of this service and cannot be withdrawn.`,
      'Anyone who has the token of an account can spend its balance. A lost token cannot be recovered, because the service stores only a hash of it.',
    ]),
  ];
}

function content(): string[] {
  return [
    '## Files and forms',
    list([
      `Anyone who has the link of a file or a PDF can open it. A file is deleted after ${uploadLimits.retentionDays} days. The wallet or account that paid for an upload can renew it, for up to ${uploadLimits.retentionDaysMax} days in total, or delete it earlier.`,
      `A form is open for up to ${formLimits.openDays} days and ${formLimits.responsesMax} responses. Its responses can be read for ${formLimits.readableDays} days after it closes, and are then deleted.`,
      'Keep copies of what you need. The service is not an archive.',
      'What you send remains yours. The operator stores, shows and forwards it only as the call that you bought requires.',
      'You are responsible for what you upload and ask, and for having the right to do so. If you ask people for personal data in a form, you are responsible for what happens to it.',
    ]),
  ];
}

function notAllowed(): string[] {
  return [
    '## What is not allowed',
    'Do not use the service for any of these:',
    list([
      'forms that ask for passwords, one-time codes, private keys, recovery phrases, payment cards or bank details. The service refuses those that it recognizes, and charges nothing for them',
      'pretending to be another person or company',
      'malware, and anything else that harms devices or accounts',
      'content that is illegal, or that threatens or harms people',
      'other people’s private information or works, without their permission',
      'attacks on this service or, through it, on others, and ways around its [limits](/docs/limits)',
    ]),
    'The operator may take such content down. Its link then returns 410 and the content is erased. What was paid for it is not refunded automatically.',
  ];
}

function availability(): string[] {
  return [
    '## What is not promised',
    list([
      'The service may be slow, fail, change or end. The [status page](/docs/status) shows what works now.',
      'Search results, pages, answers and flights come from third parties and can be wrong or out of date. A flight offer is not a booking.',
      'A price holds for the payment that you were asked for. It may be different for the next call.',
    ]),
  ];
}

function agreement({ site: { operator: details } }: LegalFacts): string[] {
  const law =
    details.law === null
      ? 'The operator has not named a law that governs these terms. It follows from the rules that apply to you and the operator.'
      : `The law of ${plain(details.law)} governs these terms.`;
  return [
    '## Liability and law',
    list([
      'As far as the law allows, the service is provided as it is, and the operator’s liability for a call is limited to what was paid for it.',
      law,
      'Rights that the law gives you and that a contract cannot take away, such as those of consumers, remain as they are.',
    ]),
    '## Changes',
    'The operator may change these terms. A call falls under the terms at the time when it is paid for.',
  ];
}

function inWords(names: readonly string[]): string {
  return new Intl.ListFormat('en-US', { type: 'disjunction' }).format(names);
}
