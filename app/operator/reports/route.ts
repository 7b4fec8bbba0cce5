import { methods } from '@/app/_routes/methods';
import { decideReport, showReports } from '../_page/reports';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: showReports,
  POST: decideReport,
});
export const dynamic = 'force-dynamic';
