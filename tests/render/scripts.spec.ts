import { PrintingPool } from '@/lib/services/render/chromium/printing-pool';
import { covered } from '@/lib/services/render/font-coverage';
import { unsupportedCharacters } from '@/lib/services/render/unsupported-characters';
import { someone } from '../support/clients';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';
import { coverageOfFonts } from './font-coverage';
import { countMissingGlyphs } from './glyphs';
import { readPdf } from './pdf-text';

test.describe.configure({ mode: 'serial' });

let pool: PrintingPool;
test.beforeAll(() => {
  pool = new PrintingPool(testPlatform(), { size: 1, waitingMax: 4, chromiumPath: undefined });
});
test.afterAll(() => pool.close());

async function print(html: string): Promise<Buffer> {
  const printed = await pool.print(someone, html);
  if (printed.kind !== 'printed') throw new Error(printed.kind);
  return printed.document.pdf;
}

/** The scripts that a Noto font in the npm registry covers, by their Unicode names, with some words in each. */
const scripts =
  `Adlam Ahom Arabic Armenian Avestan Balinese Bamum Bengali Bopomofo Brahmi Braille Buginese Buhid
  Canadian_Aboriginal Carian Chakma Cham Cherokee Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Dives_Akuru Dogra
  Egyptian_Hieroglyphs Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo
  Hatran Hebrew Hiragana Javanese Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Lao
  Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Makasar Malayalam Manichaean Marchen Meetei_Mayek Mende_Kikakui
  Miao Modi Mongolian Myanmar New_Tai_Lue Newa Nko Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic
  Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya
  Pau_Cin_Hau Phoenician Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sora_Sompeng
  Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Tamil Tangsa Tangut Telugu Thaana Thai Tibetan
  Tifinagh Tirhuta Toto Vai Warang_Citi Yi Zanabazar_Square`.split(/\s+/);

const sampleSize = 40;

/** Letters, digits and signs of a script, spread over its whole range. */
function sampleOf(script: string): string[] {
  const isOfScript = new RegExp(`^(?=\\p{Script=${script}})[\\p{L}\\p{N}\\p{S}\\p{P}]$`, 'u');
  const all = allCharacters.filter((character) => isOfScript.test(character) && isSupported(character));
  const step = Math.max(1, Math.floor(all.length / sampleSize));
  return all.filter((_, at) => at % step === 0).slice(0, sampleSize);
}

const allCharacters = Array.from({ length: 0x32000 }, (_, codePoint) =>
  codePoint >= 0xd800 && codePoint <= 0xdfff ? ' ' : String.fromCodePoint(codePoint),
);
const isSupported = (character: string) => unsupportedCharacters(character).length === 0;

test('every script that a Noto font covers is printed without a missing glyph', async () => {
  const samples = scripts.map((script) => ({ script, characters: sampleOf(script) }));
  expect(samples.filter(({ characters }) => characters.length === 0)).toEqual([]);
  const lines = samples.map(({ script, characters }) => `<p>${script}: ${characters.join(' ')}</p>`);
  const pdf = await print(`<meta charset="utf-8">${lines.join('')}`);
  const missing: string[] = [];
  if (countMissingGlyphs(pdf) > 0) {
    for (const { script, characters } of samples) {
      const count = countMissingGlyphs(await print(`<p>${characters.join(' ')}</p>`));
      if (count > 0) missing.push(`${script}: ${count} of ${characters.length}`);
    }
  }
  expect(missing).toEqual([]);
  const { fonts } = await readPdf(pdf);
  for (const font of ['NotoSansBengali', 'NotoSansKhmer', 'NotoSerifTibetan', 'NotoSansCuneiform']) {
    expect(fonts.join(' ')).toContain(font);
  }
});

const words: Readonly<Record<string, string>> = {
  Bengali: 'বাংলা ভাষায় চালান ক্ষ্ম',
  Tamil: 'தமிழ் விலைப்பட்டியல் ஸ்ரீ',
  Telugu: 'తెలుగు చలాను క్ష్మ',
  Gujarati: 'ગુજરાતી ભરતિયું ક્ષ',
  Gurmukhi: 'ਪੰਜਾਬੀ ਚਲਾਨ ਸ੍ਰੀ',
  Kannada: 'ಕನ್ನಡ ಸರಕುಪಟ್ಟಿ ಶ್ರೀ',
  Malayalam: 'മലയാളം ഇൻവോയ്സ് ശ്രീ',
  Sinhala: 'සිංහල ඉන්වොයිසිය ශ්‍රී',
  Odia: 'ଓଡ଼ିଆ ଚାଲାଣ ଶ୍ରୀ',
  Lao: 'ລາວ ໃບເກັບເງິນ',
  Khmer: 'ភាសាខ្មែរ វិក្កយបត្រ',
  Burmese: 'မြန်မာဘာသာ ငွေတောင်းခံလွှာ',
  Georgian: 'ქართული ანგარიში ᲥᲐᲠᲗᲣᲚᲘ',
  Armenian: 'Հայերեն հաշիվ',
  Amharic: 'አማርኛ ደረሰኝ',
  Tibetan: 'བོད་སྐད་ རྒྱལ་ཁབ',
  Mongolian: 'ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ',
  Cherokee: 'ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ꮳꮃꭹ',
  Dhivehi: 'ދިވެހި',
  Syriac: 'ܠܫܢܐ ܣܘܪܝܝܐ',
  Inuktitut: 'ᐃᓄᒃᑎᑐᑦ',
  Javanese: 'ꦧꦱꦗꦮ',
  'Hebrew with points': 'שָׁלוֹם',
  mathematics: '𝑎𝒃𝔠𝕕𝖊𝟙 ∑∫√∞≤≥≠±×÷∂∇∈∉⊂⊆∪∩∀∃⟨⟩⌈⌉',
  arrows: '←↑→↓↔⇐⇒⇔⟵⟶⟹↦⤴⤵➔➜⬆⬇',
  'check boxes': '☐☑☒✓✔✗✘',
  dingbats: '✂✈✉✏✒❀❖❥❶➊★☆☎☞♠♣♥♦♩♪',
  'box drawing': '┌─┬┐│├┼┤└┴┘█▓▒░■□▲△●○◆◇',
  'letters in circles': '①②③ⒶⓐⒷ㊀㊙',
  currencies: '€£¥₹₩₽₺₿₫₦₴₪₡₭₮₱₲₵₸₼₾',
  braille: '⠓⠑⠇⠇⠕',
  music: '𝄞𝄢𝅘𝅥𝅮♯♭♮',
};
for (const [name, text] of Object.entries(words)) {
  test(`${name} has no missing glyph, in any of the usual fonts and weights`, async () => {
    const lines = ['serif', 'sans-serif', 'monospace', 'Arial'].flatMap((family) =>
      ['p', 'h1', 'em'].map((tag) => `<${tag} style="font-family:${family}">${text}</${tag}>`),
    );
    const pdf = await print(`<meta charset="utf-8">${lines.join('')}`);
    expect(countMissingGlyphs(pdf)).toBe(0);
    expect(unsupportedCharacters(text)).toEqual([]);
  });
}

test('MathML has no missing glyph', async () => {
  const pdf = await print(
    '<math display="block"><mi>x</mi><mo>=</mo><mfrac><mrow><mo>−</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup><mo>−</mo><mn>4</mn><mi>a</mi><mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac><mo>→</mo><munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi mathvariant="normal">Γ</mi><mi>α</mi><mover><mi>v</mi><mo>→</mo></mover></math>',
  );
  expect(countMissingGlyphs(pdf)).toBe(0);
  expect((await readPdf(pdf)).text).toContain('𝑎');
});

test('a character that no font has is drawn as a missing glyph and reported', async () => {
  const text = 'a \u{11a50} \u{e123} b';
  expect(countMissingGlyphs(await print(`<p>${text}`))).toBe(2);
  expect(unsupportedCharacters(text)).toEqual([0xe123, 0x11a50]);
});

test('the table of covered characters matches the fonts', async () => {
  expect(covered).toBe(await coverageOfFonts());
});
