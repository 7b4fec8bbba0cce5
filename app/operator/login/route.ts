import { methods } from '@/app/_routes/methods';
import { showSignIn, signIn } from '../_page/sign-in';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showSignIn, POST: signIn });
export const dynamic = 'force-dynamic';
