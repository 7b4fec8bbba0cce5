import { methods } from '@/app/_routes/methods';
import { uploads } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { removeUpload } from '@/lib/services/uploads/remove';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  DELETE: paidRoute(uploads.remove, 'mpp', removeUpload),
});
