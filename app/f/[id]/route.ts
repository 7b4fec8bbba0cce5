import { methods } from '@/app/_routes/methods';
import { showForm, takeAnswers } from '../_page/serve-form-page';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ GET: showForm, POST: takeAnswers });
export const dynamic = 'force-dynamic';
