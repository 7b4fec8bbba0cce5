import type { Platform } from '@/lib/platform/platform';
import type { JsonObject } from '@/lib/platform/upstream/call-provider';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import type { SerpRequest } from '../serper';
import { callSearxng, hostOf, type SearxngAnswer, type SearxngResult } from './call-searxng';

interface SerpDeps extends WithUpstream, Pick<Platform, 'settings' | 'clock' | 'timings' | 'metrics'> {}

type Kind = 'search' | 'news' | 'images';

/** SearXNG's results in the shape of the search-engine-results provider. */
export async function searchWithSearxng(
  app: SerpDeps,
  kind: Kind,
  request: SerpRequest,
): Promise<JsonObject> {
  const { q, gl, hl, num, page, tbs } = request;
  const answer = await callSearxng(app, {
    q,
    category: kind === 'search' ? 'general' : kind,
    language: hl?.split('-')[0],
    country: gl,
    tbs,
    page,
    wanted: num,
  });
  return { searchParameters: { q, gl, hl, num, page, type: kind }, ...shapes[kind](answer) };
}

const shapes: Readonly<Record<Kind, (answer: SearxngAnswer) => JsonObject>> = {
  search: ({ results, suggestions }) => ({
    organic: results.map((result, at) => ({ ...common(result, at), ...dated(result) })),
    relatedSearches: suggestions.map((query) => ({ query })),
  }),
  news: ({ results }) => ({
    news: results.map((result, at) => ({
      ...common(result, at),
      ...dated(result),
      source: result.source || hostOf(result.url),
      ...(result.thumbnail || result.img_src ? { imageUrl: result.thumbnail || result.img_src } : {}),
    })),
  }),
  images: ({ results }) => ({
    images: results
      .filter(({ img_src }) => img_src !== '')
      .map((result, at) => ({
        title: result.title,
        imageUrl: result.img_src,
        ...sizeOf(result.resolution),
        ...(result.thumbnail_src || result.thumbnail
          ? { thumbnailUrl: result.thumbnail_src || result.thumbnail }
          : {}),
        source: result.source || hostOf(result.url),
        domain: hostOf(result.url),
        link: result.url,
        position: at + 1,
      })),
  }),
};

function common({ title, url, content }: SearxngResult, at: number) {
  return { title, link: url, snippet: content, position: at + 1 };
}

function dated({ publishedDate }: SearxngResult): { date?: string } {
  return publishedDate === '' ? {} : { date: publishedDate };
}

/** `1920 x 1080`, with any separator. */
function sizeOf(resolution: string): { imageWidth?: number; imageHeight?: number } {
  const size = /^(\d{1,6})\s*[x\u00d7*]\s*(\d{1,6})/i.exec(resolution);
  return size ? { imageWidth: Number(size[1]), imageHeight: Number(size[2]) } : {};
}
