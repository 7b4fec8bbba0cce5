import { createHash } from 'node:crypto';
import { chown, mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { randomToken } from '@/lib/platform/ids';
import { fontPackages } from '@/packages/fonts/fonts';
import { packageFolder } from './binary';
import { renderFolder } from './folder';
import { unpackScriptFonts } from './script-fonts';

/** Common fonts that cannot be shipped, and their substitutes. */
const aliases: Readonly<Record<string, string>> = {
  Arial: 'Arimo',
  Helvetica: 'Arimo',
  'Helvetica Neue': 'Arimo',
  'Times New Roman': 'Tinos',
  Times: 'Tinos',
  Georgia: 'Tinos',
  'Courier New': 'Cousine',
  Courier: 'Cousine',
  Consolas: 'Cousine',
  Menlo: 'Cousine',
  'Segoe UI': 'Noto Sans',
  Roboto: 'Noto Sans',
  'sans-serif': 'Noto Sans',
  'system-ui': 'Noto Sans',
  'ui-sans-serif': 'Noto Sans',
  serif: 'Tinos',
  'ui-serif': 'Tinos',
  monospace: 'Cousine',
  'ui-monospace': 'Cousine',
  emoji: 'Noto Color Emoji',
  'Apple Color Emoji': 'Noto Color Emoji',
  'Segoe UI Emoji': 'Noto Color Emoji',
  'Noto Sans SC': 'Noto Sans S Chinese',
  'Noto Sans CJK SC': 'Noto Sans S Chinese',
  'Source Han Sans SC': 'Noto Sans S Chinese',
  'PingFang SC': 'Noto Sans S Chinese',
  'Microsoft YaHei': 'Noto Sans S Chinese',
  SimSun: 'Noto Sans S Chinese',
  'Noto Sans TC': 'Noto Sans T Chinese',
  'Noto Sans CJK TC': 'Noto Sans T Chinese',
  'PingFang TC': 'Noto Sans T Chinese',
  'Microsoft JhengHei': 'Noto Sans T Chinese',
  'Noto Sans JP': 'Noto Sans Japanese',
  'Noto Sans CJK JP': 'Noto Sans Japanese',
  'Hiragino Sans': 'Noto Sans Japanese',
  'Yu Gothic': 'Noto Sans Japanese',
  Meiryo: 'Noto Sans Japanese',
  'Noto Sans KR': 'Noto Sans Korean',
  'Noto Sans CJK KR': 'Noto Sans Korean',
  'Apple SD Gothic Neo': 'Noto Sans Korean',
  'Malgun Gothic': 'Noto Sans Korean',
};

/** The font for Chinese characters by language, including Chromium's own names for the two scripts. */
const byLanguage: Readonly<Record<string, string>> = {
  ja: 'Noto Sans Japanese',
  ko: 'Noto Sans Korean',
  'zh-cn': 'Noto Sans S Chinese',
  'zh-hans': 'Noto Sans S Chinese',
  'zh-hant': 'Noto Sans T Chinese',
  'zh-hk': 'Noto Sans T Chinese',
  'zh-tw': 'Noto Sans T Chinese',
};

/** Folders that the browser's user must be able to read. */
export function fontFolders(): string[] {
  return fontPackages.map(packageFolder);
}

/** Writes fontconfig's settings and returns the file's path. */
export async function writeFontSettings(): Promise<string> {
  const root = await renderFolder();
  const folders = [...fontFolders(), await unpackScriptFonts()];
  const text = settings(folders, path.join(root, 'font-cache'));
  // Several installations may share the folder, with different fonts.
  const name = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const file = path.join(root, `fonts-${name}.conf`);
  const temporary = `${file}.${randomToken(8)}`;
  await writeFile(temporary, text, { mode: 0o644 });
  await rename(temporary, file);
  return file;
}

/** Creates fontconfig's cache folder for the browsers' user. */
export async function openFontCache(uid: number | null): Promise<void> {
  const folder = path.join(await renderFolder(), 'font-cache');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (uid !== null) await chown(folder, uid, uid);
}

function settings(fontFolders: readonly string[], cacheFolder: string): string {
  const folders = fontFolders.map((folder) => `<dir>${escapeXml(folder)}</dir>`);
  const alias = Object.entries(aliases).map(
    ([name, font]) =>
      `<alias binding="same"><family>${name}</family><prefer><family>${font}</family></prefer></alias>`,
  );
  const languages = Object.entries(byLanguage).map(
    ([language, font]) =>
      `<match><test name="lang" compare="contains"><string>${language}</string></test>` +
      `<edit name="family" mode="prepend" binding="strong"><string>${font}</string></edit></match>`,
  );
  return [
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>',
    ...folders,
    `<cachedir>${escapeXml(cacheFolder)}</cachedir>`,
    ...alias,
    ...languages,
    '</fontconfig>\n',
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
