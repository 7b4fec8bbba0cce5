import { methods } from '@/app/_routes/methods';
import { serveStatusMarkdown } from '@/app/_site/docs/status-page';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: serveStatusMarkdown });
export const dynamic = 'force-dynamic';
