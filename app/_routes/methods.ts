import { explainMethods } from '@/app/_site/load';
import { currentApp } from '@/lib/app/current';
import { allowHeader } from '@/lib/http/method-not-allowed';
import { answerOtherMethod } from '@/lib/http/server/answer-path';
import { answering, behindHost, type WebHandler } from './under-framework';

const allMethods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'] as const;
type Method = (typeof allMethods)[number];

/**
 * The exports of the route file of a page: its handlers, and for every other method a 405 that lists the allowed ones; the
 * framework's own 405 is empty. HEAD is left to the framework, which calls GET and drops the body.
 */
export function methods(
  handlers: Readonly<Partial<Record<Method, WebHandler>>>,
): Partial<Record<Method, WebHandler>> {
  const isHeadTaken = handlers.GET !== undefined;
  const allow = allowHeader([...Object.keys(handlers), ...(isHeadTaken ? ['HEAD'] : [])]);
  const other = answering((request) => answerOtherMethod(currentApp(), request, allow, explainMethods));
  const missing = allMethods.filter(
    (method) => handlers[method] === undefined && !(method === 'HEAD' && isHeadTaken),
  );
  const all = { ...Object.fromEntries(missing.map((method) => [method, other])), ...handlers };
  return Object.fromEntries(Object.entries(all).map(([method, handler]) => [method, behindHost(handler)]));
}
