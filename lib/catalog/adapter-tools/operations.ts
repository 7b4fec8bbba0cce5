import { z } from 'zod';
import * as crawl from '../crawl';
import { formLimits } from '../form-questions';
import * as forms from '../forms';
import * as neural from '../neural';
import type { Operation, Params } from '../operation';
import * as render from '../render';
import * as serp from '../serp';
import { describeAction, isOpenWorld, toolNameOf } from '../tool-words';
import { type AdapterTool, adapterTool, pays, reads } from './tool';

/** A tool that is nothing but an operation, with its body as arguments. */
export interface OperationTool {
  readonly operation: Operation;
  readonly tool: AdapterTool;
}

/** Under the name that the remote server has for it, and in the same words. */
function toolOf<B extends z.ZodObject, O extends z.ZodObject>(
  operation: Operation<Params, B, O>,
): OperationTool {
  const { id, title, price, body, output, example } = operation;
  const tool = adapterTool({
    name: toolNameOf(operation),
    title,
    description: describeAction(operation),
    price,
    operation: id,
    ...pays,
    openWorld: isOpenWorld(operation),
    input: body,
    output,
    example: example.body,
  });
  return { operation, tool };
}

export const operationTools: readonly OperationTool[] = [
  toolOf(render.pdf),
  toolOf(forms.create),
  toolOf(neural.search),
  toolOf(neural.contents),
  toolOf(neural.findSimilar),
  toolOf(neural.answer),
  toolOf(crawl.scrape),
  toolOf(crawl.search),
  toolOf(serp.search),
  toolOf(serp.news),
  toolOf(serp.images),
  toolOf(serp.shopping),
];

const { cursor, limit, wait } = forms.responsesQuery.shape;

/** Half of what the service allows: assistants give up on a tool after a minute by default. */
const waitSecondsMax = formLimits.waitSecondsMax / 2;

/** Free. The read token is enough, so it needs no account. */
export const formResponses = adapterTool({
  name: toolNameOf(forms.responses),
  title: forms.responses.title,
  description: describeAction(forms.responses),
  price: null,
  operation: forms.responses.id,
  ...reads,
  input: forms.responses.params.extend({
    readToken: z
      .string()
      .min(1)
      .meta({
        description: `The readToken that ${toolNameOf(forms.create)} returned.`,
        examples: [forms.create.example.output.readToken],
      }),
    cursor,
    limit,
    wait: z
      .number()
      .min(0)
      .max(waitSecondsMax)
      .default(0)
      .meta({ description: wait.description, examples: [waitSecondsMax] }),
  }),
  output: forms.responses.output,
  example: { ...forms.responses.example.params, readToken: forms.create.example.output.readToken },
});
