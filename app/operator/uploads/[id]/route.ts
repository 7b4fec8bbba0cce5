import { methods } from '@/app/_routes/methods';
import { decideContent, showContentPage } from '../../_page/content';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({
  GET: showContentPage('upload'),
  POST: decideContent('upload'),
});
export const dynamic = 'force-dynamic';
