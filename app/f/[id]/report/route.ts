import { methods } from '@/app/_routes/methods';
import { showReport, takeReport } from '../../_page/serve-form-page';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: showReport,
  POST: takeReport,
});
export const dynamic = 'force-dynamic';
