import type { ReactElement } from 'react';

/** A page as it is sent. */
export async function renderPage(page: ReactElement): Promise<string> {
  // The framework allows the server renderer in routes only when it is loaded where it is used.
  const { renderToString } = await import('react-dom/server');
  return `<!DOCTYPE html>${renderToString(page)}`;
}
