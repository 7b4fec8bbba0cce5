import { restorableDays } from '@/lib/services/abuse-reports';
import type { LegalFacts } from './facts';
import { list, mailLink } from './markdown';

/** `/abuse`: how to report a form or a file, and what happens then. */
export function abuseText(facts: LegalFacts): string {
  return `${['# Report abuse', ...intro, ...how(facts), ...whatHappens, ...authorities(facts), ...mistakes(facts)].join('\n\n')}\n`;
}

const intro = [
  'Agents and people use this service to share files and to ask questions in forms. Report what harms, deceives or breaks the law. You need no account, and are not asked for your name.',
  'If somebody is in danger, call the police or the emergency services first.',
];

function how({ site: { publicUrl, operator: details }, filesUrl }: LegalFacts): string[] {
  const { abuseEmail } = details;
  return [
    '## Report a form',
    'Open the form and choose “Report this form” at the end of the page. Do not fill it in.',
    '## Report a file',
    list([
      `The link of a file is \`${filesUrl}/KEY/name\`. Open \`${publicUrl}/report/KEY\` with the key from the link, and choose what is wrong.`,
      'Programs find the same address in the `Link` header of the file (`rel="help"`).',
    ]),
    '## Report anything else',
    abuseEmail === null
      ? 'The operator has published no email address for abuse. Use the report pages of forms and files.'
      : `Write to ${mailLink(abuseEmail)}. Give the full link, and say what is wrong with it. Send no passwords and no illegal files; the link is enough.`,
  ];
}

const whatHappens = [
  '## What happens then',
  list([
    'The report is put on the operator’s worklist. What you wrote is stored encrypted, and deleted when the report is closed.',
    'The operator decides. A form or file that is taken down cannot be opened from that moment.',
    `It is erased after ${restorableDays} days, so that a mistake can be undone and evidence be handed over, or at once if it may not be kept.`,
    'Reports are not answered, because the service does not know who sent them. If you need an answer, write.',
  ]),
  'The [terms](/terms) say what is not allowed.',
];

function authorities({ site: { operator: details } }: LegalFacts): string[] {
  const { abuseEmail } = details;
  return [
    '## Requests from authorities',
    list([
      'The service knows the wallet or prepaid account that paid for a form or a file, the payment and its time. It has no names, and does not store network addresses of visitors.',
      'Content deletes itself, as the [privacy page](/privacy) says. Ask early for what should be preserved.',
      abuseEmail === null
        ? 'The operator has published no address for such requests.'
        : `Write to ${mailLink(abuseEmail)} from an official address. Give the link or the transaction, and the law that the request is based on.`,
    ]),
  ];
}

function mistakes({ site: { operator: details } }: LegalFacts): string[] {
  const { email } = details;
  return [
    '## If your content was taken down',
    `Calls about it return \`form_taken_down\`, \`link_taken_down\` or \`upload_taken_down\`. For ${restorableDays} days the operator can restore it${
      email === null ? '.' : `: write to ${mailLink(email)} and say why it should be there.`
    }`,
  ];
}
