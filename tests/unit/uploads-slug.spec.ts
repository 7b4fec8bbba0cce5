import { namesOf, slugOf, withExtension } from '@/lib/services/uploads/slug';
import { expect, test } from '../support/without-browser';

const cases: readonly [filename: string | undefined, mime: string, slug: string][] = [
  ['report.pdf', 'application/pdf', 'report.pdf'],
  ['Résumé – final (2).PDF', 'application/pdf', 'Resume-final-2.PDF'],
  ['Smørrebrød Straße.txt', 'text/plain', 'Smorrebrod-Strasse.txt'],
  ['Отчёт за май.docx', 'application/octet-stream', 'Otchyot-za-may.docx'],
  ['Über R&D.md', 'text/markdown', 'Uber-R-and-D.md'],
  ['archive.tar.gz', 'application/gzip', 'archive.tar.gz'],
  ['../../etc/passwd', 'text/plain', 'passwd'],
  ['C:\\Users\\me\\notes.md', 'text/markdown', 'notes.md'],
  ['a／b．txt', 'text/plain', 'b.txt'],
  ['...hidden...name..txt', 'text/plain', 'hidden.name.txt'],
  ['.env', 'text/plain', 'file.env'],
  ['a"b\r\nSet-Cookie: x=1.txt', 'text/plain', 'a-b-Set-Cookie-x-1.txt'],
  ['a\0b.png', 'image/png', 'a-b.png'],
  ['日本語.pdf', 'application/pdf', 'file.pdf'],
  ['日本語', 'image/png', 'file.png'],
  ['🎈', 'application/x-unheard-of', 'file'],
  [undefined, 'text/plain; charset=utf-8', 'file.txt'],
  [undefined, 'application/octet-stream', 'file'],
  ['///', 'image/jpeg', 'file.jpg'],
  ['Makefile', 'text/plain', 'Makefile'],
  ['NUL.pdf', 'application/pdf', '_NUL.pdf'],
  ['drafts/', 'text/plain', 'drafts'],
];

for (const [filename, mime, slug] of cases) {
  test(`names ${JSON.stringify(filename)} ${slug}`, () => {
    expect(slugOf(filename, mime)).toBe(slug);
  });
}

test('keeps the extension of a long name within 80 characters', () => {
  const slug = slugOf(`${'a'.repeat(176)}.pdf`, 'application/pdf');
  expect(slug).toHaveLength(80);
  expect(slug.endsWith('.pdf')).toBe(true);
});

test('no name leads to a slug that needs quoting in a header or a path', () => {
  const letters = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code));
  const slugs = letters.map((letter) => slugOf(`a${letter}b.txt`, 'text/plain'));
  expect(slugs.filter((slug) => !/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,79}$/.test(slug))).toEqual([]);
});

const named: readonly [filename: string | undefined, own: string | null][] = [
  ['日本語の報告書.pdf', '日本語の報告書.pdf'],
  ['보고서.pdf', '보고서.pdf'],
  ['रिपोर्ट.pdf', 'रिपोर्ट.pdf'],
  ['รายงาน.pdf', 'รายงาน.pdf'],
  ['דו"ח.pdf', 'דו"ח.pdf'],
  ['Отчёт.docx', 'Отчёт.docx'],
  ['../../日本/名前.pdf', '名前.pdf'],
  ['evil\u202efdp.exe', 'evilfdp.exe'],
  ['a\r\nSet-Cookie: x=1.txt', 'aSet-Cookie: x=1.txt'],
  ['ሪፖርት.pdf', 'ሪፖርት.pdf'],
  ['အစီရင်ခံစာ.pdf', 'အစီရင်ခံစာ.pdf'],
  ['می\u200cخواهم.pdf', 'می\u200cخواهم.pdf'],
  ['ශ්\u200dරී.pdf', 'ශ්\u200dරී.pdf'],
  ['👨\u200d👩\u200d👧.png', '👨\u200d👩\u200d👧.png'],
  [
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}.png',
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}.png',
  ],
  ['עברית\u2067\u200f.pdf', 'עברית.pdf'],
  ['日\u2028本.pdf', '日本.pdf'],
  ['100%25.pdf', '100%25.pdf'],
  ['名前. ', '名前'],
  ['LPT¹.txt', '_LPT¹.txt'],
  ['report.pdf', null],
  ['...', null],
  [undefined, null],
];
for (const [filename, own] of named) {
  test(`a download of ${JSON.stringify(filename)} is called ${own ?? 'as its link'}`, () => {
    expect(namesOf(filename, 'application/pdf').filename).toBe(own);
  });
}

test('a name that is too long for file systems is cut before its extension, between whole characters', () => {
  const family = '👨\u200d👩\u200d👧';
  for (const [filename, kept] of [
    [`${'字'.repeat(176)}.pdf`, `${'字'.repeat(83)}.pdf`],
    [`${family.repeat(22)}.pdf`, `${family.repeat(13)}.pdf`],
    [`a${'\u0301'.repeat(170)}.pdf`, null],
  ] as const)
    expect(namesOf(filename, 'application/pdf').filename).toBe(kept);
});

const pdfNames: readonly [filename: string, name: string][] = [
  ['invoice-1', 'invoice-1.pdf'],
  ['invoice.v1.2', 'invoice.v1.2.pdf'],
  ['Invoice.PDF', 'Invoice.PDF'],
  ['report.', 'report.pdf'],
  ['invoice.pdf ', 'invoice.pdf'],
  ['invoice.pdf\u200b', 'invoice.pdf'],
  ['out/', 'out.pdf'],
  ['CON', '_CON.pdf'],
  ['.pdf', 'file.pdf'],
  ['a/.pdf', 'file.pdf'],
  ['.', 'file.pdf'],
  ['日本語', '日本語.pdf'],
  ['فاتورة', 'فاتورة.pdf'],
];
for (const [filename, name] of pdfNames) {
  test(`a PDF with the name ${JSON.stringify(filename)} is called ${name}`, () => {
    const mime = 'application/pdf';
    const names = namesOf(withExtension(filename, mime), mime);
    expect(names.filename ?? names.slug).toBe(name);
    expect(names.slug).toMatch(/^[A-Za-z0-9_].*\.pdf$/i);
  });
}
