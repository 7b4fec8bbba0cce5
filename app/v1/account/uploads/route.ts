import { account, uploads } from '@/lib/catalog';
import { paidRoute } from '@/lib/http/paid-route';
import { createUpload } from '@/lib/uploads/create';
import { listUploads } from '@/lib/uploads/list';
import { holderRoute } from '../_holder-route';

export const GET = holderRoute(account.uploadsQuery, listUploads);
export const POST = paidRoute(uploads.create, 'account', createUpload);
