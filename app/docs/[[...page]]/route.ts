import { servePage } from '@/app/_site/pages';

export { servePage as GET };
export const dynamic = 'force-dynamic';
