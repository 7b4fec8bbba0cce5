import { methods } from '@/app/_routes/methods';
import { showWallets } from '../_page/wallets';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showWallets });
export const dynamic = 'force-dynamic';
