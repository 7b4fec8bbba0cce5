import { showThanks } from '../../_page/serve';

export { showThanks as GET };
export const dynamic = 'force-dynamic';
