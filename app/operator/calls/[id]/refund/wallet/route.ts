import { methods } from '@/app/_routes/methods';
import { showSigning, takeStep } from '../../../../_page/signing';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showSigning, POST: takeStep });
export const dynamic = 'force-dynamic';
