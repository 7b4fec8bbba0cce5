import { methods } from '@/app/_routes/methods';
import { showThanks } from '../../_page/serve-form-page';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showThanks });
export const dynamic = 'force-dynamic';
