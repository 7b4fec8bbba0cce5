import { uploads } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { createUpload } from '@/lib/uploads/create';

export const POST = paidRoute(uploads.create, 'mpp', createUpload);
