import { methods } from '@/app/_routes/methods';
import { uploads } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { createUpload } from '@/lib/services/uploads/create';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  POST: paidRoute(uploads.create, 'mpp', createUpload),
});
