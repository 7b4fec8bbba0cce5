import { serveConstant } from '@/app/_site/constant';
import { explainMethods } from '@/app/_site/load';
import { currentApp } from '@/lib/app/current';
import { findPath } from '@/lib/catalog/endpoints';
import { allowedAt } from '@/lib/http/method-not-allowed';
import { answerOtherMethod } from '@/lib/http/server/answer-path';
import { answerApi } from './api';
import { answering, behindHost, type WebHandler } from './for-host';

const answerOther = answering((request) =>
  answerOtherMethod(currentApp(), request, allowedAt(null), explainMethods),
);

/**
 * Answers a request to any path without a route file of its own: those of the API, such as /health and /mcp, constant
 * documents and pages, and paths that do not exist.
 */
export const answerSite: WebHandler = behindHost((request, context) => {
  if (findPath(new URL(request.url).pathname)) return answerApi(request, context);
  return ['GET', 'HEAD'].includes(request.method) ? serveConstant(request) : answerOther(request, context);
});
