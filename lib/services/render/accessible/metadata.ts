import type { PdfObjects } from './pdf-objects';
import { Dictionary, PdfString, Ref, type Value } from './pdf-values';

/** Declares PDF/UA-1 in the metadata of a document (ISO 14289-1, clause 5). */
export function addMetadata(objects: PdfObjects): void {
  const { catalog, trailer } = objects;
  const root = trailer.get('/Root');
  if (!(root instanceof Ref)) return;
  const title = textOf(objects.dictionary(trailer.get('/Info')).get('/Title'));
  const about = new Dictionary('<</Type /Metadata /Subtype /XML>>');
  const metadata = objects.add(about);
  objects.setStream(metadata, Buffer.from(xmpOf(title, textOf(catalog.get('/Lang')))), about, true);
  objects.set(root, catalog.with('/Metadata', metadata));
}

function xmpOf(title: string, language: string): string {
  const escaped = (text: string) =>
    text
      .replace(/[<>&"]/g, (one) => `&#${one.charCodeAt(0)};`)
      .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escaped(title)}</rdf:li></rdf:Alt></dc:title>
<dc:language><rdf:Bag><rdf:li>${escaped(language)}</rdf:li></rdf:Bag></dc:language>
<pdfuaid:part>1</pdfuaid:part>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>`;
}

/** The text of a string (ISO 32000-1, 7.9.2): UTF-16 with a byte order mark, or close to Latin-1. */
export function textOf(value: Value | undefined): string {
  if (!(value instanceof PdfString)) return '';
  const source = value.text;
  const bytes = source.startsWith('<')
    ? Buffer.from(source.replace(/[^\da-f]/gi, ''), 'hex')
    : Buffer.from(unescaped(source.slice(1, -1)), 'latin1');
  if (bytes[0] !== 0xfe || bytes[1] !== 0xff) return bytes.toString('latin1');
  return Buffer.from(bytes.subarray(2, 2 + 2 * Math.floor((bytes.length - 2) / 2)))
    .swap16()
    .toString('utf16le');
}

function unescaped(text: string): string {
  const letters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '\n': '' };
  return text.replace(/\\([0-7]{1,3}|[\s\S])/g, (_, one: string) =>
    /^[0-7]/.test(one) ? String.fromCharCode(Number.parseInt(one, 8) & 0xff) : (letters[one] ?? one),
  );
}
