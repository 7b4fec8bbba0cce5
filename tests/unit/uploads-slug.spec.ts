import { namesOf, slugOf } from '@/lib/services/uploads/slug';
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
  ['report.pdf', null],
  ['...', null],
  [undefined, null],
];
for (const [filename, own] of named) {
  test(`a download of ${JSON.stringify(filename)} is called ${own ?? 'as its link'}`, () => {
    expect(namesOf(filename, 'application/pdf').filename).toBe(own);
  });
}
