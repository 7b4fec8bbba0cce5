import { methods } from '@/app/_routes/methods';
import { addNote, showCall } from '../../_page/call';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showCall, POST: addNote });
export const dynamic = 'force-dynamic';
