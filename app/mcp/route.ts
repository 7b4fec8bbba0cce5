import { methods } from '@/app/_routes/methods';
import { mcp } from '@/app/_routes/operations';

export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = methods({ POST: mcp() });
