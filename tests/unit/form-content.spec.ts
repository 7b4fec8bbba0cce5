import { type FormText, findForbiddenContent } from '@/lib/services/forms/content';
import { languages } from '@/lib/services/forms/content/words';
import { kinds } from '@/lib/services/forms/content/words/word-list';
import { fullOnly } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { brokenWords, type Disguise, otherCharacters, seeded } from './form-content/disguises';
import { evasions } from './form-content/evasions';
import { examples } from './form-content/examples';
import { formText, largestForm } from './form-content/form-text';
import { harmless } from './form-content/harmless';
import { honestForms } from './form-content/honest-forms';
import { indirectQuestions } from './form-content/indirect-questions';
import { lookAlikes } from './form-content/look-alikes';
import { phishingForms } from './form-content/phishing-forms';

const ask = (label: string): FormText => ({ title: 'A form', questions: [{ label }] });
const kindsIn = (form: FormText) => findForbiddenContent(form).map(({ kind }) => kind);
const pathsIn = (form: FormText) => findForbiddenContent(form).map(({ path }) => path);

for (const [language, list] of Object.entries(examples)) {
  test(`${language}: finds forbidden questions and their kind`, () => {
    const missed = list.filter(
      ([kind, forbidden]) => !kindsIn(ask(forbidden)).some((found) => found === kind),
    );
    expect(missed).toEqual([]);
  });

  test(`${language}: allows the harmless questions that resemble them`, () => {
    expect(list.filter(([, , harmlessOne]) => kindsIn(ask(harmlessOne)).length > 0)).toEqual([]);
  });
}

const all = Object.values(examples).flat();

test('there are at least 300 examples, with every kind in at least 20 languages', () => {
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

for (const [name, disguise] of Object.entries({ ...otherCharacters, ...brokenWords })) {
  test(`recognizes words ${name}`, () => {
    expect(missedIn(disguise)).toEqual([]);
  });
}

for (const [name, disguise] of Object.entries(otherCharacters)) {
  test(`allows harmless questions ${name}`, () => {
    const random = seeded(20_292);
    const taken = all
      .map(([, , harmlessOne]) => disguise(harmlessOne, random))
      .filter((text) => kindsIn(ask(text)).length > 0);
    expect(taken).toEqual([]);
  });
}

test('catches phrases and disguises that were collected after the rules were written', () => {
  expect(evasions.filter((label) => kindsIn(ask(label)).length === 0)).toEqual([]);
});

for (const [language, questions] of Object.entries(indirectQuestions)) {
  test(`${language}: finds secrets that are asked for by purpose, place or how they arrived`, () => {
    const missed = questions.filter(([kind, question]) => !kindsIn(ask(question)).includes(kind));
    expect(missed).toEqual([]);
  });
}

test('allows questions that talk about secrets, and words with other meanings', () => {
  expect(harmless.filter((question) => kindsIn(formText('A form', '', question)).length > 0)).toEqual([]);
});

test('finds a secret that follows a harmless question', () => {
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

test('allows harmless questions that resemble forbidden ones in many languages', () => {
  expect(lookAlikes.filter((question) => kindsIn(formText('A form', '', question)).length > 0)).toEqual([]);
});

for (const form of honestForms) {
  test(`allows the honest form "${form.title}"`, () => {
    expect(findForbiddenContent(form)).toEqual([]);
  });
}

for (const form of phishingForms) {
  test(`catches the phishing form "${form.title}": ${form.questions.map(({ label }) => label).join(', ')}`, () => {
    expect(findForbiddenContent(form)).not.toEqual([]);
  });
}

test('reports each field once per kind of secret, by its path', () => {
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
  test(`reads a phrase that is split across ${how}`, () => {
    expect(pathsIn(form)).toContain(path);
  });
}

test('does not join the end of one question with the start of the next', () => {
  expect(
    pathsIn(formText('A form', '', 'Business card', 'Number of copies', 'Text on the card', 'Details')),
  ).toEqual([]);
});

test('does not read options together', () => {
  expect(pathsIn(formText('A form', '', 'How shall we tell you? :: SMS / Code / Card / Number'))).toEqual([]);
});

test('refuses a short word with other meanings only as the whole question', () => {
  expect(kindsIn(ask('PIN'))).toEqual(['pin']);
  expect(kindsIn(ask('Please enter your PIN again:'))).toEqual(['pin']);
  expect(kindsIn(ask('Colour of the pin on the map'))).toEqual([]);
  expect(kindsIn(formText('A form', '', 'Souvenir :: Sticker / Pin / Patch'))).toEqual([]);
});

test('allows talk about passwords in questions with options, but not in questions answered in words', () => {
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
  test(`allows a warning in the description: ${warning}`, () => {
    expect(kindsIn(formText('A form', `Welcome. ${warning} Thank you.`, 'Name'))).toEqual([]);
    expect(kindsIn(ask(warning)), 'refused as a label').not.toEqual([]);
  });
}

const falseWarnings = [
  'Never share your password, except here.',
  'Do not forget to enter your password.',
  'Never enter your p a s s w o r d anywhere but below in field one.',
  'Do not share your password with anyone. Enter your password below.',
];

for (const text of falseWarnings) {
  test(`does not take a request for a warning: ${text}`, () => {
    expect(kindsIn(formText('A form', text, 'Name'))).toEqual(['password']);
  });
}

test('reads vv as w in every spelling', () => {
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

test('reads a text as browsers display it', () => {
  expect(kindsIn(ask('Your \u202enip\u202c'))).toEqual(['pin']);
  expect(kindsIn(ask('Numer NIP firmy'))).toEqual([]);
});

test('reads unusual characters without error', () => {
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

let honestTime: number | undefined;
for (const secrets of ['cvv ', '비밀번호를', 'the your pin 1 ', 'пароль password 密码 كلمة المرور ']) {
  test(
    `a form full of secrets takes less than nine times as long as an honest one: ${secrets}`,
    fullOnly,
    () => {
      honestTime ??= leastTime(
        largestForm('which number of cards would your business like near the river ', 50),
      );
      expect(leastTime(largestForm(secrets, 50)) / honestTime).toBeLessThan(9);
    },
  );
}

/** Processor time in microseconds: the minimum of several runs, because other processes can only add to it. */
function leastTime(form: FormText): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    findForbiddenContent(form);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}

test('every word list compiles, and no entry has fewer than two letters', () => {
  const entries = languages.flatMap((words) => kinds.flatMap((kind) => words[kind] ?? []));
  expect(entries.filter((entry) => entry.normalize('NFD').replace(/[^\p{L}\p{N}]/gu, '').length < 2)).toEqual(
    [],
  );
});
