import { methods } from '@/app/_routes/methods';
import { showChannels } from '../_page/channels';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showChannels });
export const dynamic = 'force-dynamic';
