import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fontFolders } from '@/lib/platform/chromium/fonts';
import { scriptFontFiles } from '@/lib/platform/chromium/script-fonts';
import { fullTierPackages } from '../support/full-tier-packages';

/** The characters that the renderer's fonts have glyphs for, as ranges of hexadecimal code points such as `20-7e,a0`. */
export async function coverageOfFonts(): Promise<string> {
  const fontkit = await fullTierPackages.fontkit();
  const covered = new Set<number>();
  for (const file of fontFiles()) {
    const font = fontkit.create(readFileSync(file));
    if (!('characterSet' in font))
      throw new Error(`${file} contains several fonts, and only single fonts are supported.`);
    for (const codePoint of font.characterSet) covered.add(codePoint);
  }
  return rangesOf([...covered].sort((one, other) => one - other));
}

function fontFiles(): string[] {
  const whole = fontFolders().flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ttf|otf)$/.test(name))
      .map((name) => path.join(folder, name)),
  );
  return [...whole, ...scriptFontFiles()];
}

function rangesOf(sorted: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const codePoint of sorted) {
    const last = ranges.at(-1);
    if (last && codePoint === last[1] + 1) last[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  return ranges
    .map((ends) => [...new Set(ends)].map((codePoint) => codePoint.toString(16)).join('-'))
    .join(',');
}
