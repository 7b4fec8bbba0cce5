import type { ReactNode } from 'react';
import type { Assets, PageFolder } from '@/lib/http/page-assets';

/**
 * The style of a page and its typeface. The typeface is requested at once, not when the style is read, because one that
 * arrives late is not used (see typeface.css). Fonts are always fetched with CORS.
 */
export function StyleLinks({ page, assets }: { page: PageFolder; assets: Assets }): ReactNode {
  const folder = `/${page}/assets/`;
  return (
    <>
      <link rel="preload" href={folder + assets.font} as="font" type="font/woff2" crossOrigin="anonymous" />
      <link rel="stylesheet" href={folder + assets.style} />
    </>
  );
}
