import slugify from '@sindresorhus/slugify';
import type { Platform } from '@/lib/platform/platform';

const slugLengthMax = 80;
/** What most file systems take for a name. */
const nameBytesMax = 255;

/** Controls of the text's direction and other characters without a shape. Joiners and tags stay: they are parts of letters and emoji. */
const shapeless =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;
/** Names of devices, which Windows takes with any extension. */
const device = /^(con|prn|aux|nul|(com|lpt)[0-9¹²³])(?=\.|$)/i;

const extensions: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'audio/mpeg': 'mp3',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/webp': 'webp',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

/**
 * The readable end of a public link: at most 80 ASCII letters, digits, dots, dashes and underscores, not starting with
 * a dot. Keeps the extension. An unusable name becomes `file`.
 */
export function slugOf(filename: string | undefined, mime: string): string {
  // Decomposed first, because a full-width slash or dot becomes a normal one in this step.
  const name = lastSegment((filename ?? '').normalize('NFKD'));
  const written = /^(.*)\.([A-Za-z0-9]{1,12})$/s.exec(name);
  const stem = legible(written?.[1] ?? name).replace(device, '_$1');
  const extension = written?.[2];
  if (stem === '') return extension ? `file.${extension}` : `file${guessedExtension(mime)}`;
  if (!extension) return stem.slice(0, slugLengthMax);
  return `${stem.slice(0, slugLengthMax - extension.length - 1)}.${extension}`;
}

/**
 * What an upload is called: the end of its link, and its own name for downloads, in any script and without a path or invisible
 * characters; null if the link says the same.
 */
export function namesOf(
  filename: string | undefined,
  mime: string,
): { slug: string; filename: string | null } {
  const slug = slugOf(filename, mime);
  const own = shortened(ownNameOf(filename).replace(device, '_$1'));
  return { slug, filename: own === '' || own === slug ? null : own };
}

/** A file name that ends with the extension of its type. */
export function withExtension(filename: string | undefined, mime: string): string | undefined {
  const extension = guessedExtension(mime);
  const own = ownNameOf(filename);
  if (own === '' || own.toLowerCase() === extension) return undefined;
  return own.toLowerCase().endsWith(extension) ? own : own + extension;
}

function lastSegment(path: string): string {
  return path.split(/[\\/]/).findLast((segment) => segment.trim() !== '') ?? '';
}

/** Without a path, and without spaces and dots at the end, which some systems cut off. */
function ownNameOf(filename: string | undefined): string {
  const name = lastSegment((filename ?? '').replaceAll(/\p{Surrogate}/gu, ''));
  return name
    .replaceAll(shapeless, '')
    .trim()
    .replace(/[\s.]+$/u, '');
}

/** Cuts a long name before its extension, and between characters as people see them. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= nameBytesMax) return name;
  const [extension = ''] = /\.[^.]{1,12}$/u.exec(name) ?? [];
  const stem = name.slice(0, name.length - extension.length);
  let kept = '';
  let left = nameBytesMax - Buffer.byteLength(extension);
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(stem)) {
    left -= Buffer.byteLength(segment);
    if (left < 0) break;
    kept += segment;
  }
  return kept === '' ? '' : kept + extension;
}

/** Removes marks from Latin letters first, because the package treats `ö` as German `oe`. */
function legible(text: string): string {
  const unmarked = text.replace(/(?<=\p{Script=Latin})\p{Mark}+/gu, '');
  return slugify(unmarked, { lowercase: false, decamelize: false, preserveCharacters: ['.', '_'] })
    .replace(/\.{2,}/g, '.')
    .replace(/^[.-]+|[.-]+$/g, '');
}

function guessedExtension(mime: string): string {
  const extension = extensions[essenceOf(mime)];
  return extension ? `.${extension}` : '';
}

/** A MIME type without parameters, in lower case. */
export function essenceOf(mime: string): string {
  const [essence = ''] = mime.split(';');
  return essence.trim().toLowerCase();
}

/** The public link of an upload. Only the token matters; the slug is for people. */
export function publicUrl(
  app: Pick<Platform, 'settings'>,
  upload: { linkToken: string; slug: string },
): string {
  return `${app.settings.FILES_URL}/${upload.linkToken}/${upload.slug}`;
}
