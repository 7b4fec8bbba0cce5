import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** The scripts that the build makes of this folder's `in-page/page.ts` and `in-page/pdf.ts` (scripts/build-in-page.mjs). */
const scripts = new Map<'page' | 'pdf', Promise<string>>();

/** A script that defines `inPage`: the exports of a module, for a browser. Read once. */
export function inPageScript(name: 'page' | 'pdf'): Promise<string> {
  const script =
    scripts.get(name) ?? readFile(path.join(process.cwd(), 'dist', 'in-page', `${name}.js`), 'utf8');
  scripts.set(name, script);
  return script;
}
