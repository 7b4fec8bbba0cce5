import { methods } from '@/app/_routes/methods';
import { uploads } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { renewUpload } from '@/lib/services/uploads/renew';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(uploads.renew, 'mpp', renewUpload),
});
