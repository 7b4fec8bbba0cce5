import { showForm, takeAnswers } from '../_page/serve';

export { showForm as GET, takeAnswers as POST };
export const dynamic = 'force-dynamic';
