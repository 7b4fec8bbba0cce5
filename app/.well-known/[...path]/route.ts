import { serveDocument } from '@/app/_site/documents';

export { serveDocument as GET };
export const dynamic = 'force-dynamic';
