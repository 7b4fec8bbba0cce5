/** Reads numbers as people write them. Runs on the server and in the browser. */

/** Digits on people's keyboards other than 0-9: Arabic, Persian, Devanagari. NFKC handles full-width ones. */
const zeros = [0x660, 0x6f0, 0x966];

/**
 * Parses a number; NaN when the text is not one. A separator is interpreted in the only possible way: `3,5` and `3.5`
 * have decimals, `1 000`, `1,000.5` and `1.000,5` have groups. `1,000` alone depends on the language.
 * @param isWhole whether only whole numbers are valid, so that a separator can only group
 */
export function readNumber(text: string, language: string, isWhole: boolean): number {
  const tidy = text
    .normalize('NFKC')
    .replace(/[٠-٩۰-۹०-९]/g, (digit) => {
      const code = digit.charCodeAt(0);
      return String(code - (zeros.find((zero) => code >= zero && code < zero + 10) ?? code));
    })
    .replaceAll('\u2212', '-')
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
    .trim();
  const [, sign = '', digits = ''] = /^([+-]?)([\d.,\s'’]+)$/u.exec(tidy) ?? [];
  const plain = withoutGroups(digits, decimalSign(language), isWhole);
  return plain === null ? Number.NaN : Number(`${sign}${plain}`);
}

function decimalSign(language: string): '.' | ',' {
  const parts = new Intl.NumberFormat(language, { numberingSystem: 'latn' }).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';
}

/** Digits with a decimal point; null when the separators are invalid. */
function withoutGroups(digits: string, decimal: '.' | ',', isWhole: boolean): string | null {
  const spaced = digits.replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/gu, '');
  if (/^\d+$/.test(spaced)) return spaced;
  const isGrouped = (sign: string, text: string) =>
    new RegExp(`^\\d{1,3}(\\${sign}\\d{3})+$`).test(text) && !text.startsWith('0');
  for (const sign of ['.', ','] as const) {
    const group = sign === '.' ? ',' : '.';
    const [whole = '', fraction, ...more] = spaced.split(sign);
    if (more.length > 0 || fraction === undefined || !/^\d+$/.test(fraction)) continue;
    if (isGrouped(group, whole)) return `${whole.replaceAll(group, '')}.${fraction}`;
    // One separator before three digits is ambiguous.
    if (isGrouped(sign, spaced) && (isWhole || sign !== decimal)) continue;
    if (/^\d*$/.test(whole)) return `${whole || '0'}.${fraction}`;
  }
  for (const sign of ['.', ',']) if (isGrouped(sign, spaced)) return spaced.replaceAll(sign, '');
  return null;
}
