import { serveConstant } from '@/app/_site/constant';
import { explainMethods } from '@/app/_site/load';
import { currentApp } from '@/lib/app/current';
import { findPath } from '@/lib/catalog/endpoints';
import { allowedAt } from '@/lib/http/paths-of-api';
import { answerOtherMethod } from '@/lib/http/server/answer-path';
import { answerApiPath } from './api';
import { answering, behindHost, type WebHandler } from './under-framework';

const answerOther = answering((request) =>
  answerOtherMethod(currentApp(), request, allowedAt(null), explainMethods),
);

/**
 * Answers a request to any path without a route file of its own: those of the API, such as /health and /mcp, constant
 * documents and pages, and paths that do not exist.
 */
export const answerSite: WebHandler = behindHost((request) => {
  if (findPath(new URL(request.url).pathname)) return answerApiPath(request);
  return ['GET', 'HEAD'].includes(request.method) ? serveConstant(request) : answerOther(request);
});
