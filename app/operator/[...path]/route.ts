import { methods } from '@/app/_routes/methods';
import { showMissing } from '../_page/console-route';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showMissing });
export const dynamic = 'force-dynamic';
