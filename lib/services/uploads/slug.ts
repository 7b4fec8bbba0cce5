import slugify from '@sindresorhus/slugify';
import type { Platform } from '@/lib/platform/platform';

const slugLengthMax = 80;

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
  const [name = ''] = (filename ?? '').normalize('NFKD').split(/[\\/]/).slice(-1);
  const written = /^(.*)\.([A-Za-z0-9]{1,12})$/s.exec(name);
  const stem = legible(written?.[1] ?? name);
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
  const [name = ''] = (filename ?? '')
    .replaceAll(/\p{Surrogate}/gu, '')
    .split(/[\\/]/)
    .slice(-1);
  const own = name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').trim();
  return { slug, filename: own === '' || own === slug || /^\.+$/.test(own) ? null : own };
}

/** A file name that ends with the extension of its type. */
export function withExtension(filename: string | undefined, mime: string): string | undefined {
  const extension = guessedExtension(mime);
  return filename === undefined || filename.toLowerCase().endsWith(extension)
    ? filename
    : filename + extension;
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
