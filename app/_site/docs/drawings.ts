import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** A drawing in `docs`, beside the guide that shows it. */
export interface Drawing {
  /** As in its path, such as `soak.svg`. */
  readonly name: string;
  readonly svg: string;
  /** In CSS pixels, so that a page reserves space for it. */
  readonly width: number;
  readonly height: number;
}

const names = /!\[[^\]]*\]\(([a-z0-9-]+\.svg)\)/g;
const size = /^<svg [^>]*viewBox="0 0 (\d+) (\d+)"/;

/** The drawing with a name; null if there is none. */
export async function findDrawing(name: string): Promise<Drawing | null> {
  if (!/^[a-z0-9-]+\.svg$/.test(name)) return null;
  const svg = await readFile(path.join(process.cwd(), 'docs', name), 'utf8').catch(() => null);
  const [, width, height] = size.exec(svg ?? '') ?? [];
  return svg === null ? null : { name, svg, width: Number(width), height: Number(height) };
}

/** The drawings that a guide shows. */
export async function drawingsIn(markdown: string): Promise<readonly Drawing[]> {
  const found = await Promise.all([...markdown.matchAll(names)].map(([, name = '']) => findDrawing(name)));
  return found.filter((drawing) => drawing !== null);
}
