export { makeTransaction as POST } from '../../_page/serve';
export const dynamic = 'force-dynamic';
