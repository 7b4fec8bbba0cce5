import { ApiError } from '@/lib/catalog/errors/api-error';
import { refusalPage } from '@/lib/http/files/refusal-page';
import { expect, test } from '../support/without-browser';

/** The page for a person whose link has no file. */

const settings = { PUBLIC_URL: 'https://api.example.com', NETWORKS: 'main' } as const;

test('a person who has only opened a link is told nothing of charges, and gets an ID to ask about', () => {
  for (const code of ['internal_error', 'service_unavailable', 'link_not_found', 'link_gone'] as const) {
    const page = refusalPage(new ApiError(code), 'req_1', settings);
    expect(page, code).not.toMatch(/charge/i);
    expect(page, code).toContain('Request ID: <code>req_1</code>');
  }
});
