import { methods } from '@/app/_routes/methods';
import { serveStatus } from '@/app/_site/docs/status-page';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: serveStatus });
export const dynamic = 'force-dynamic';
