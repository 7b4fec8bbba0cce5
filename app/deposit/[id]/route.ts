export { showDeposit as GET } from '../_page/serve';
export const dynamic = 'force-dynamic';
