import { methods } from '@/app/_routes/methods';
import { serveAdapterFile } from '@/app/_site/adapter-files';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: serveAdapterFile });
export const dynamic = 'force-dynamic';
