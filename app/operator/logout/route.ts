import { methods } from '@/app/_routes/methods';
import { signOut } from '../_page/sign-in';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ POST: signOut });
export const dynamic = 'force-dynamic';
