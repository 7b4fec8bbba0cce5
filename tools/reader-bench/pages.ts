import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';

/** The true content of a page, in the format of WCXB. */
const truth = z.object({
  url: z.url(),
  pageType: z.string(),
  mainContent: z.string(),
  with: z.array(z.string()),
  without: z.array(z.string()),
});

/** A saved page with its true content. */
export interface BenchPage extends z.output<typeof truth> {
  readonly id: string;
  /** The page as it was saved. */
  html(): Buffer;
}

/** Reads `ground-truth/ID.json` and finds `html/ID.html.gz` for each. */
export function listPages(folder: string): BenchPage[] {
  const ids = readdirSync(path.join(folder, 'ground-truth'))
    .filter((file) => file.endsWith('.json'))
    .map((file) => path.basename(file, '.json'))
    .sort();
  return ids.map((id) => {
    const text = readFileSync(path.join(folder, 'ground-truth', `${id}.json`), 'utf8');
    return {
      ...truth.parse(JSON.parse(text)),
      id,
      html: () => gunzipSync(readFileSync(path.join(folder, 'html', `${id}.html.gz`))),
    };
  });
}
