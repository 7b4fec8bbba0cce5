import manifest from './package.json' with { type: 'json' };

/**
 * The fonts of every PDF. Only from npm packages, so that a page looks the same on every host. Arimo, Tinos and Cousine
 * have the widths of Arial, Times New Roman and Courier New.
 */
export const fontPackages = [
  '@embedpdf/fonts-latin',
  '@expo-google-fonts/arimo',
  '@expo-google-fonts/tinos',
  '@expo-google-fonts/cousine',
  '@expo-google-fonts/noto-sans-arabic',
  '@expo-google-fonts/noto-sans-chakma',
  '@expo-google-fonts/noto-sans-devanagari',
  '@expo-google-fonts/noto-sans-thai',
  '@embedpdf/fonts-hebrew',
  '@embedpdf/fonts-sc',
  '@embedpdf/fonts-tc',
  '@embedpdf/fonts-jp',
  '@embedpdf/fonts-kr',
  '@expo-google-fonts/noto-color-emoji',
];

/**
 * The Noto fonts for symbols and scripts, one package each, such as `@fontsource/noto-sans-thaana`. They contain WOFF files, which
 * the browser's font library cannot read, split into subsets. One subset has the script's name.
 */
export const scriptPackages = Object.keys(manifest.dependencies).filter((name) =>
  name.startsWith('@fontsource/'),
);

/** The subsets that are needed of these fonts, if not the one with the script's name. */
const subsets: Readonly<Record<string, readonly string[]>> = {
  'noto-sans-math': ['latin'],
  'noto-sans-symbols-2': ['symbols', 'math', 'braille'],
  'noto-serif-hentaigana': ['kana-extended'],
  'noto-serif-np-hmong': ['nyiakeng-puachue-hmong'],
  'noto-serif-ottoman-siyaq': ['ottoman-siyaq-numbers'],
  'noto-znamenny-musical-notation': ['znamenny'],
};

/** The subsets of a font that are needed, such as `thaana` of `noto-sans-thaana`. */
export function subsetsOf(name: string): readonly string[] {
  return subsets[name] ?? [name.replace(/^noto-((sans|serif)-)?/, '')];
}
