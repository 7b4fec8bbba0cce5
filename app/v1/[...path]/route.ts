import { other } from '@/app/_routes/operations';

const notFound = other('not_found');

export { notFound as DELETE, notFound as GET, notFound as PATCH, notFound as POST, notFound as PUT };
