import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { linkLimits } from '@/lib/catalog/form-links';
import type { Answer } from '@/lib/catalog/forms';
import type { Platform } from '@/lib/platform/platform';
import { formPath } from '@/lib/services/forms/form';

/**
 * A link for one recipient carries its content in its address, signed and encrypted with a key of ours (AES-256-GCM), so
 * that nobody can change it, logs do not tell what it says, and nothing is stored.
 */

/** What a link says, as its creator wrote it. */
export interface FormLink {
  readonly recipient?: string;
  /** By question ID, as in responses. */
  readonly answers?: Readonly<Record<string, Answer>>;
}

/** The query parameter of a form's page with the sealed content. */
export const linkParameter = 'link';

const [nonceBytes, tagBytes] = [12, 16];

const content = z.strictObject({
  recipient: z.string().optional(),
  answers: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])).optional(),
});

/** The path of a form's page with the content of a link. */
export function linkedPath(formId: string, token: string): string {
  return `${formPath(formId)}?${linkParameter}=${token}`;
}

/** Seals the content of a link, for one form. */
export function sealLink(app: Pick<Platform, 'keys'>, formId: string, link: FormLink): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', app.keys.derive('form-link')[0], nonce).setAAD(
    Buffer.from(formId),
  );
  const sealed = Buffer.concat([cipher.update(JSON.stringify(link)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** The content of a link; null if it was changed, cut off, or made for another form. */
export function openLink(app: Pick<Platform, 'keys'>, formId: string, token: string): FormLink | null {
  if (token.length > linkLimits.urlLengthMax) return null;
  const bytes = Buffer.from(token, 'base64url');
  // The decoder skips characters that are not base64url.
  if (bytes.toString('base64url') !== token) return null;
  for (const key of app.keys.derive('form-link')) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
        .setAAD(Buffer.from(formId))
        .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      const plain = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
      return content.parse(JSON.parse(plain.toString()));
    } catch {
      // Sealed with another key: try the next one.
    }
  }
  return null;
}
