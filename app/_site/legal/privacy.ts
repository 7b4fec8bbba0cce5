import { formLimits } from '@/lib/catalog/form-questions';
import { uploadLimits } from '@/lib/catalog/uploads';
import { answerLifeDays } from '@/lib/ledger/stored-answer';
import { restorableDays } from '@/lib/services/abuse-reports';
import { copySeconds } from '@/lib/services/forms/sent-copy';
import type { LegalFacts } from './facts';
import { list, pageLink, table } from './markdown';
import { dateInWords } from './terms';

/** `/privacy`: the operator's own notice, or what the software does with data. */
export function privacyText(facts: LegalFacts): string {
  const { privacyUrl } = facts.site.operator;
  const parts =
    privacyUrl === null
      ? [responsible(facts), inShort]
      : [
          `The privacy notice of ${facts.operator} is at ${pageLink(privacyUrl)}. This page says what the software does with data.`,
        ];
  return `${['# Privacy', ...parts, ...kept(facts), ...received(facts), ...inTheBrowser, ...rights(facts)].join('\n\n')}\n`;
}

function responsible({ site: { operator: details }, operator }: LegalFacts): string {
  if (details.name === null) {
    return '**Nobody is named as the operator of this service**, so this page cannot say who is responsible for your data. It says what the software does with data. Send nothing personal or confidential unless you know who runs the service.';
  }
  const since =
    details.termsDate === null ? '' : ` This notice applies from ${dateInWords(details.termsDate)}.`;
  return `**${operator}** (“the operator”) is responsible for what happens to data at this service. [Contact](/contact) says how to reach them.${since}`;
}

const inShort =
  'The service needs no account with a name, and asks for no name, email address or phone number. It has no advertising and no analytics. Its pages load nothing from other hosts.';

const copyHours = copySeconds / 3_600;

function kept({ store }: LegalFacts): string[] {
  return [
    '## What is stored, and for how long',
    table(
      ['Data', 'Why', 'How long'],
      [
        [
          'Paid calls: the wallet or account that paid, amount, network, transaction, time, which call it was, and hashes of the request and the idempotency key',
          'to charge once, to account for every payment, and to answer retries',
          'as long as the service exists',
        ],
        ['What a call was sent, encrypted', 'to finish the call after a crash', 'until the call has ended'],
        [
          'The response to a paid call and its signed payment, encrypted',
          'to give the response again if it was lost',
          `${answerLifeDays} days`,
        ],
        [
          `Uploaded files and PDFs, on ${store}`,
          'to serve their links, which anyone who has them can open',
          `${uploadLimits.retentionDays} days; an upload that is renewed, up to ${uploadLimits.retentionDaysMax} days; or until it is deleted`,
        ],
        [
          'The type, size, hash, name in the link and tags of a file, and who paid for it',
          'to say that a link has ended, and to prove the delivery',
          'as long as the service exists',
        ],
        [
          'Forms, and the answers of the people who fill them in, which are encrypted',
          'for the agent that made the form',
          `until ${formLimits.readableDays} days after the form closes, which it does after ${formLimits.openDays} days at the latest`,
        ],
        [
          'Prepaid accounts: a hash of the token, the balance, deposits and charges',
          'to spend the balance',
          'as long as the service exists',
        ],
        [
          'Reports of abuse: the reason, and what the reporter wrote, encrypted',
          'to decide about the content',
          'the text until the report is closed; the reason as long as the service exists',
        ],
        [
          'The network address of a client, in the memory of the server and as a hash with a salt that changes daily',
          'to limit how often it calls',
          'the hash and its salt about a day',
        ],
        [
          'Logs: IDs, states, codes and durations, without the content of requests and responses',
          'to find faults',
          'as the operator has set up',
        ],
      ],
    ),
    `Content that was taken down is erased after ${restorableDays} days, or at once. Backups of the database may keep erased data for as long as the operator keeps backups.`,
  ];
}

function received({ recipients, hasFacilitator, site }: LegalFacts): string[] {
  return [
    '## Who else receives data',
    list([
      `Everybody: a payment is public on its network${site.offers.length > 1 ? ', whichever you choose' : ''}, with the wallets of both sides, amount and time. It cannot be erased there.`,
      'The nodes that connect the service to these networks: payments.',
      ...(hasFacilitator ? ['A payment facilitator that submits payments: the signed payment.'] : []),
      'The agent that made a form: the answers to it, and when they were sent.',
      ...recipients.map(
        ({ name, calls }) =>
          `${name}: what you send with ${inWords(calls)}, without your wallet or network address.`,
      ),
      'A website whose page the service reads for you: a request from the service’s own address.',
    ]),
    'At the console, the operator can open a form or a file to decide about it. Each view is recorded.',
  ];
}

const inTheBrowser = [
  '## Cookies and browser storage',
  table(
    ['What', 'Where', 'How long'],
    [
      [
        'Cookie `form-copy`: lets the person who sent a form see a copy of it',
        'the page that confirms a form',
        `${copyHours === 1 ? 'one hour' : `${copyHours} hours`}`,
      ],
      ['The programming language that you chose for samples', 'documentation', 'until you clear it'],
      [
        'A signed payment, so that a reload does not pay twice',
        'the deposit page and “Try it”',
        'until its outcome is known',
      ],
      ['The receipt of your last deposit', 'the deposit page', 'until you close the tab'],
      ['Cookies of a session', 'the operator’s console only', 'until the session ends, twelve hours at most'],
    ],
  ),
  'None of it is used to follow you.',
];

function rights({ operator }: LegalFacts): string[] {
  return [
    '## See and delete your data',
    list([
      'A wallet lists its uploads, forms and calls itself: [what a wallet bought](/docs/wallet-lists). An account does so with its token.',
      'The wallet or account that paid for an upload can [delete it](/docs/uploads). All content is deleted by itself at the times above.',
      'If you filled in a form, ask the person who gave you the link. The service does not know who you are.',
      `For everything else, such as a form or a file with data about you, [ask ${operator}](/contact) or [report it](/abuse). Give the link, and if you paid, the \`Paid-Call-Id\`: there is no name to find it by.`,
      'Records of payments are kept, because they prove that each was charged once.',
      'Depending on where you live, the law gives you further rights, such as access, correction, deletion and a complaint to a data protection authority.',
    ]),
  ];
}

function inWords(titles: readonly string[]): string {
  const list = new Intl.ListFormat('en-US', { type: 'conjunction' });
  return list.format([...new Set(titles)].map((title) => `“${title}”`));
}
