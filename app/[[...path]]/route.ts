export {
  answerSite as DELETE,
  answerSite as GET,
  answerSite as HEAD,
  answerSite as OPTIONS,
  answerSite as PATCH,
  answerSite as POST,
  answerSite as PUT,
} from '@/app/_routes/site';
export const dynamic = 'force-dynamic';
