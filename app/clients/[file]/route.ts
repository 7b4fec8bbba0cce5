import { methods } from '@/app/_routes/methods';
import { serveDocument } from '@/app/_site/documents';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: serveDocument });
export const dynamic = 'force-dynamic';
