import { essenceOf } from './slug';

/**
 * How an uploaded file is shown. Inline types are an allow-list of types in which no browser runs scripts. All others
 * are downloads. The headers of serve-file.ts (sandbox, nosniff) apply too.
 */

const inlineTypes: ReadonlySet<string> = new Set([
  'application/pdf',
  'audio/aac',
  'audio/flac',
  'audio/mp4',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/wave',
  'audio/webm',
  'audio/x-m4a',
  'audio/x-wav',
  'image/apng',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/heic',
  'image/heif',
  'image/jpeg',
  'image/jxl',
  'image/png',
  'image/tiff',
  'image/vnd.microsoft.icon',
  'image/webp',
  'image/x-icon',
  'text/plain',
  'video/mp4',
  'video/ogg',
  'video/quicktime',
  'video/webm',
]);

/** Families whose types browsers either show in a page of their own or download. */
const passedOnFamilies: ReadonlySet<string> = new Set([
  'application',
  'audio',
  'font',
  'image',
  'model',
  'text',
  'video',
]);

export interface Presentation {
  readonly contentType: string;
  readonly disposition: 'inline' | 'attachment';
}

/**
 * The headers for a file of the announced type. Downloads keep their type, which programs read, with two exceptions:
 * scripts, because other sites could load them from us as code, and `multipart/*`, `message/*` and unknown families,
 * whose parts some browsers open despite the attachment header.
 */
export function presentationOf(mime: string): Presentation {
  const essence = essenceOf(mime);
  if (essence === 'text/plain') return { contentType: plainText(mime), disposition: 'inline' };
  if (inlineTypes.has(essence)) return { contentType: essence, disposition: 'inline' };
  const [family = ''] = essence.split('/');
  const isPassedOn = passedOnFamilies.has(family) && !/(java|ecma|live|j)script/.test(essence);
  return { contentType: isPassedOn ? mime : 'application/octet-stream', disposition: 'attachment' };
}

/** Browsers guess the charset of text without one, and UTF-8 is nearly always right. */
function plainText(mime: string): string {
  const declared = /;\s*charset\s*=\s*"?([A-Za-z0-9_.:-]+)"?/i.exec(mime)?.[1];
  return `text/plain; charset=${declared ?? 'utf-8'}`;
}
