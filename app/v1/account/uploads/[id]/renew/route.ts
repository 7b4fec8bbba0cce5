import { uploads } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { renewUpload } from '@/lib/uploads/renew';

export const POST = paidRoute(uploads.renew, 'account', renewUpload);
