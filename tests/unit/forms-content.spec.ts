import { expect, test } from '@playwright/test';
import { type FormText, findForbiddenContent } from '@/lib/form-content';
import { languages } from '@/lib/form-content/words';
import { kinds } from '@/lib/form-content/words/language';
import { askedOtherwise } from './forms-content/asked-otherwise';
import { benignForms } from './forms-content/benign-forms';
import { brokenWords, type Disguise, otherSigns, seeded } from './forms-content/disguises';
import { evasions } from './forms-content/evasions';
import { examples } from './forms-content/examples';
import { formText, largestForm } from './forms-content/form-text';
import { harmless } from './forms-content/harmless';
import { lookAlikes } from './forms-content/look-alikes';
import { phishingForms } from './forms-content/phishing-forms';

const ask = (label: string): FormText => ({ title: 'A form', questions: [{ label }] });
const kindsIn = (form: FormText) => findForbiddenContent(form).map(({ kind }) => kind);
const pathsIn = (form: FormText) => findForbiddenContent(form).map(({ path }) => path);

for (const [language, list] of Object.entries(examples)) {
  test(`${language}: finds what no form may ask for, by its kind`, () => {
    const missed = list.filter(
      ([kind, forbidden]) => !kindsIn(ask(forbidden)).some((found) => found === kind),
    );
    expect(missed).toEqual([]);
  });

  test(`${language}: lets the twins pass that only look alike`, () => {
    expect(list.filter(([, , benign]) => kindsIn(ask(benign)).length > 0)).toEqual([]);
  });
}

const all = Object.values(examples).flat();

test('the examples are 300 and more, of every kind in most languages', () => {
  expect(all.length).toBeGreaterThanOrEqual(300);
  for (const kind of kinds) {
    expect(
      Object.values(examples).filter((list) => list.some(([of]) => of === kind)).length,
    ).toBeGreaterThanOrEqual(20);
  }
});

function missedIn(disguise: Disguise): string[] {
  const random = seeded(20_291);
  return all.flatMap(([kind, forbidden]) => {
    const shown = disguise(forbidden, random);
    return kindsIn(ask(shown)).some((found) => found === kind) ? [] : [`${forbidden} as ${shown}`];
  });
}

for (const [name, disguise] of Object.entries({ ...otherSigns, ...brokenWords })) {
  test(`sees through words ${name}`, () => {
    expect(missedIn(disguise)).toEqual([]);
  });
}

for (const [name, disguise] of Object.entries(otherSigns)) {
  test(`takes nothing for a secret only because it is ${name}`, () => {
    const random = seeded(20_292);
    const taken = all
      .map(([, , benign]) => disguise(benign, random))
      .filter((text) => kindsIn(ask(text)).length > 0);
    expect(taken).toEqual([]);
  });
}

test('catches turns of phrase and disguises of which the rules do not speak', () => {
  expect(evasions.filter((label) => kindsIn(ask(label)).length === 0)).toEqual([]);
});

for (const [language, questions] of Object.entries(askedOtherwise)) {
  test(`${language}: finds secrets that are asked for by their purpose, place or way of arrival`, () => {
    const missed = questions.filter(([kind, question]) => !kindsIn(ask(question)).includes(kind));
    expect(missed).toEqual([]);
  });
}

test('lets questions pass that talk about secrets, and words that have other meanings', () => {
  expect(harmless.filter((question) => kindsIn(formText('A form', '', question)).length > 0)).toEqual([]);
});

test('still finds a secret behind a question that may be asked', () => {
  const questions = [
    'How many passwords do you remember? Write your passwords',
    'How often do you change your password? Your password now:',
    'OTP target and OTP',
    'Booking code and verification code',
    'Food bank details and bank details',
    'Sort code of your bank',
    'Sort code for your account',
    'Swift code in capital letters',
    'Transit number of your bank: transit and institution number',
    'Verification code for this booking',
    'Your OTP and your rate',
  ];
  expect(questions.filter((question) => kindsIn(ask(question)).length === 0)).toEqual([]);
});

test('lets look-alikes in many languages pass', () => {
  expect(lookAlikes.filter((question) => kindsIn(formText('A form', '', question)).length > 0)).toEqual([]);
});

for (const form of benignForms) {
  test(`lets the honest form "${form.title}" pass`, () => {
    expect(findForbiddenContent(form)).toEqual([]);
  });
}

for (const form of phishingForms) {
  test(`catches the phishing form "${form.title}": ${form.questions.map(({ label }) => label).join(', ')}`, () => {
    expect(findForbiddenContent(form)).not.toEqual([]);
  });
}

test('names the path of each field and the kind of each secret once', () => {
  const form: FormText = {
    title: 'Your password, your password',
    description: 'We need your card number.',
    submitLabel: 'Send the OTP',
    thankYou: 'Now send us your seed phrase.',
    questions: [
      { label: 'Name' },
      { label: 'Which one?', options: ['Red', 'Blue', 'Green', 'My IBAN'] },
      { label: 'Number', help: 'Your PIN and your account number', placeholder: 'CVV' },
    ],
  };
  expect(findForbiddenContent(form)).toEqual([
    { path: 'title', kind: 'password' },
    { path: 'description', kind: 'card' },
    { path: 'questions.1.options.3', kind: 'bank_account' },
    { path: 'questions.2.help', kind: 'pin' },
    { path: 'questions.2.help', kind: 'bank_account' },
    { path: 'questions.2.placeholder', kind: 'card' },
    { path: 'submitLabel', kind: 'one_time_code' },
    { path: 'thankYou', kind: 'secret_key' },
  ]);
});

const splits: readonly [how: string, form: FormText, path: string][] = [
  ['a label and its help', formText('A form', '', 'Name', 'Pass | word'), 'questions.1.label'],
  ['a label and its placeholder', formText('A form', '', 'Card | As printed | number'), 'questions.0.label'],
  ['two labels', formText('A form', '', 'Your card', 'Number on the front'), 'questions.0.label'],
  ['two helps', formText('A form', '', 'First | Verification', 'Second | code'), 'questions.0.help'],
  ['the title and the first label', formText('Sort', '', 'Code of your branch'), 'title'],
  ['many labels, letter by letter', formText('A form', '', 'I', 'B', 'A', 'N'), 'questions.0.label'],
];

for (const [how, form, path] of splits) {
  test(`puts together what is split over ${how}`, () => {
    expect(pathsIn(form)).toContain(path);
  });
}

test('puts nothing together that only ends and begins side by side', () => {
  expect(
    pathsIn(formText('A form', '', 'Business card', 'Number of copies', 'Text on the card', 'Details')),
  ).toEqual([]);
});

test('options are alternatives, not halves of a phrase', () => {
  expect(pathsIn(formText('A form', '', 'How shall we tell you? :: SMS / Code / Card / Number'))).toEqual([]);
});

test('a short word that may mean anything counts where it is the whole question', () => {
  expect(kindsIn(ask('PIN'))).toEqual(['pin']);
  expect(kindsIn(ask('Please enter your PIN again:'))).toEqual(['pin']);
  expect(kindsIn(ask('Colour of the pin on the map'))).toEqual([]);
  expect(kindsIn(formText('A form', '', 'Souvenir :: Sticker / Pin / Patch'))).toEqual([]);
});

test('a question with options may talk about passwords; one that is answered in words may not', () => {
  const about = 'Changing your password';
  expect(kindsIn(formText('A form', '', `${about} :: Weekly / Yearly`))).toEqual([]);
  expect(kindsIn(formText('A form', '', about))).toEqual(['password']);
});

const warnings = [
  'Never enter your password here.',
  'Please do not share passwords or credit card details in this form.',
  'We will never ask for your PIN or bank details!',
  'Bitte geben Sie niemals Ihr Passwort in diesem Formular an.',
  'Ne saisissez jamais votre mot de passe dans ce formulaire.',
  'Nunca escriba su contraseña en este formulario.',
  'Никогда не указывайте ваш пароль в этой форме.',
  '请勿在此表单中填写密码或银行卡信息。',
];

for (const warning of warnings) {
  test(`lets a description warn: ${warning}`, () => {
    expect(kindsIn(formText('A form', `Welcome. ${warning} Thank you.`, 'Name'))).toEqual([]);
    expect(kindsIn(ask(warning)), 'as a label it is an offence').not.toEqual([]);
  });
}

const falseWarnings = [
  'Never share your password, except here.',
  'Do not forget to enter your password.',
  'Never enter your p a s s w o r d anywhere but below in field one.',
  'Do not share your password with anyone. Enter your password below.',
];

for (const text of falseWarnings) {
  test(`takes no request for a warning: ${text}`, () => {
    expect(kindsIn(formText('A form', text, 'Name'))).toEqual(['password']);
  });
}

test('takes two v for a w however they are written', () => {
  const asked = [
    'passvvord',
    'PASSVVORD',
    'ｐａｓｓｖｖｏｒｄ',
    'passv vord',
    'passv\u200bvord',
    '𝐩𝐚𝐬𝐬𝐯𝐯𝐨𝐫𝐝',
  ];
  expect(asked.filter((label) => !kindsIn(ask(label)).includes('password'))).toEqual([]);
});

test('reads a text as it is shown, not as it is stored', () => {
  expect(kindsIn(ask('Your \u202enip\u202c'))).toEqual(['pin']);
  expect(kindsIn(ask('Numer NIP firmy'))).toEqual([]);
});

test('texts of strange characters are read without harm', () => {
  const strange = [
    '\ud800',
    '\udc00\ud800',
    '\0\u0007',
    '\u{10ffff}',
    '\ufdfa'.repeat(50),
    '\u0301'.repeat(300),
    '!|+^',
    '',
  ];
  expect(
    strange.filter((text) => kindsIn({ title: text, questions: [{ label: text, options: [text] }] }).length),
  ).toEqual([]);
});

for (const secrets of ['cvv ', '비밀번호를', 'the your pin 1 ', 'пароль password 密码 كلمة المرور ']) {
  test(`a form full of secrets is not much slower to read than an honest one: ${secrets}`, () => {
    const honest = leastTime(
      largestForm('which number of cards would your business like near the river ', 50),
    );
    expect(leastTime(largestForm(secrets, 50)) / honest).toBeLessThan(9);
  });
}

/** Processor time in microseconds: the least of several runs, as whatever else runs can only add to it. */
function leastTime(form: FormText): number {
  const times = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage();
    findForbiddenContent(form);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}

test('every word list can be compiled, and no entry is too short to mean something', () => {
  const entries = languages.flatMap((words) => kinds.flatMap((kind) => words[kind] ?? []));
  expect(entries.filter((entry) => entry.normalize('NFD').replace(/[^\p{L}\p{N}]/gu, '').length < 2)).toEqual(
    [],
  );
});
