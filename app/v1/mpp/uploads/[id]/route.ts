import { uploads } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { removeUpload } from '@/lib/uploads/remove';

export const DELETE = paidRoute(uploads.remove, 'mpp', removeUpload);
