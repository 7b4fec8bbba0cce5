import { explainMethods } from '@/app/_site/load';
import { currentApp } from '@/lib/app/current';
import { findPath } from '@/lib/catalog/endpoints';
import { everyMethod } from '@/lib/http/paths-of-api';
import { answerOtherMethod, answerPath } from '@/lib/http/server/answer-path';
import { answering, behindHost, type WebHandler } from './under-framework';

/** Answers a request to the API, whatever its method, as our listener does without the framework. */
export const answerApiPath = answering(async (request) => {
  const app = currentApp();
  const { pathname } = new URL(request.url);
  const found = findPath(pathname);
  if (found) return answerPath(app, found, request, pathname, explainMethods);
  return request.method === 'OPTIONS'
    ? answerOtherMethod(app, request, everyMethod, explainMethods)
    : app.answerMissing(request);
});

/** The export of the route files of the API. The catalog names the paths, so that such a file only says where the framework should call this. */
export const answerApi: WebHandler = behindHost(answerApiPath);
