import { showReport, takeReport } from '../../_page/serve';

export { showReport as GET, takeReport as POST };
export const dynamic = 'force-dynamic';
