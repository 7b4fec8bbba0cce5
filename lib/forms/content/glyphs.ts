/**
 * What Unicode's own tables leave out. Letters that are the same letter to a reader are read as one, in the texts and in
 * the word lists alike.
 */

/** Letters that NFKD does not take apart. */
export const spelledOut: Readonly<Record<string, string>> = {
  ß: 'ss',
  ς: 'σ',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ŋ: 'n',
};

/** One writing for what readers take for each other: l and I, long and short vowels, final forms, kana. */
export const sameLetters: Readonly<Record<string, string>> = {
  l: 'i',
  ы: 'ь',
  // Arabic and Persian. Hamza carriers fall together in NFKD, where the hamza is a mark.
  ى: 'ي',
  ی: 'ي',
  ې: 'ي',
  ک: 'ك',
  ڪ: 'ك',
  ة: 'ه',
  ہ: 'ه',
  ھ: 'ه',
  ٱ: 'ا',
  // Hebrew final forms.
  ם: 'מ',
  ן: 'נ',
  ך: 'כ',
  ף: 'פ',
  ץ: 'צ',
  // Devanagari vowel signs, written long or short by habit.
  'ी': 'ि',
  'ू': 'ु',
  ई: 'इ',
  ऊ: 'उ',
  // Small kana.
  ァ: 'ア',
  ィ: 'イ',
  ゥ: 'ウ',
  ェ: 'エ',
  ォ: 'オ',
  ッ: 'ツ',
  ャ: 'ヤ',
  ュ: 'ユ',
  ョ: 'ヨ',
};

/** The consonants of Hangul that stand below (U+11A8 ff.), as the ones that stand in front. */
export const hangulFinals = 'ᆨᆩᆫᆮᆯᆷᆸᆺᆻᆼᆽᆾᆿᇀᇁᇂ';
export const hangulInitials = 'ᄀᄁᄂᄃᄅᄆᄇᄉᄊᄋᄌᄎᄏᄐᄑᄒ';

/** Letters without a sound of their own: they stretch a word and change nothing. */
export const silent = 'ـー〜ｰ’ʼ';

/** Digits and signs that stand for letters. */
export const digitLetters: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '2': 'z',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '6': 'g',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '€': 'e',
  '£': 'l',
  '¢': 'c',
  '¥': 'y',
  '§': 's',
  '₿': 'b',
  '₽': 'p',
  '₴': 's',
  '₦': 'n',
  '₩': 'w',
  '₵': 'c',
  '₱': 'p',
  '₳': 'a',
  '₮': 't',
  '₡': 'c',
};

/** Signs that stand for letters only where a letter follows in the same word: at its end they are punctuation. */
export const signLetters: Readonly<Record<string, string>> = {
  '!': 'i',
  '|': 'i',
  '¡': 'i',
  '^': 'a',
  '+': 't',
  '©': 'c',
  '®': 'r',
  '×': 'x',
  '¶': 'p',
};

/** Look-alikes of Latin letters that the table of the `confusables` package lacks. */
export const lookLetters: Readonly<Record<string, string>> = {
  ꜰ: 'f',
  ꜱ: 's',
  ʀ: 'r',
  ᴅ: 'd',
  ᴘ: 'p',
  ᴀ: 'a',
  ɔ: 'c',
  ɟ: 'j',
  ɥ: 'h',
  ʌ: 'v',
  ʇ: 't',
  ʞ: 'k',
  ɯ: 'm',
  ᴉ: 'i',
  ꭰ: 'd',
  ᑎ: 'n',
  ᗪ: 'd',
  ᘔ: 'z',
  ɍ: 'r',
  ᵽ: 'p',
  ꝑ: 'p',
  ϱ: 'p',
  ϑ: 'o',
  ɹ: 'r',
  ʍ: 'w',
  卩: 'p',
  卂: 'a',
  丂: 's',
  ㄖ: 'o',
  '๏': 'o',
  ק: 'p',
  '๔': 'd',
  ร: 's',
  ฬ: 'w',
};
