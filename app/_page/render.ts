import type { ReactElement } from 'react';

/** Renders a page to HTML. */
export async function renderPage(page: ReactElement): Promise<string> {
  // The framework allows the server renderer in routes only as a dynamic import.
  const { renderToString } = await import('react-dom/server');
  return `<!DOCTYPE html>${renderToString(page)}`;
}
