import { methods } from '@/app/_routes/methods';
import { serveSearch } from '@/app/_site/docs/search-page';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: serveSearch });
export const dynamic = 'force-dynamic';
