import { inflateSync } from 'node:zlib';

/**
 * Counts how often a PDF draws `.notdef`, the box for a character that a font does not have. It is glyph 0 in what Chromium
 * writes (hexadecimal strings, two bytes per glyph; one byte in fonts of type 3).
 */
export function countMissingGlyphs(pdf: Buffer): number {
  let missing = 0;
  for (const content of contentsOf(pdf)) {
    for (const [, hex = ''] of content.matchAll(/<([0-9A-F]+)> Tj/g)) {
      const glyphs = hex.length % 4 === 0 ? (hex.match(/.{4}/g) ?? []) : (hex.match(/.{2}/g) ?? []);
      missing += glyphs.filter((glyph) => /^0+$/.test(glyph)).length;
    }
  }
  return missing;
}

/** The streams that draw text. */
function contentsOf(pdf: Buffer): string[] {
  const source = pdf.toString('latin1');
  return [...source.matchAll(/\/Length (\d+)[\s\S]{0,200}?>>\s*stream\r?\n/g)].flatMap((match) => {
    const start = match.index + match[0].length;
    const packed = pdf.subarray(start, start + Number(match[1]));
    const content = unpacked(packed).toString('latin1');
    return /\bBT\s/.test(content) ? [content] : [];
  });
}

function unpacked(stream: Buffer): Buffer {
  try {
    return inflateSync(stream);
  } catch {
    // Streams that are not compressed contain no text, because Chromium compresses text.
    return Buffer.alloc(0);
  }
}
