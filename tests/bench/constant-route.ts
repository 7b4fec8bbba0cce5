// Baseline of `unpaid`: the bytes and headers that ours was seen to answer with, from a handler that does nothing else.
import { readFileSync } from 'node:fs';

export interface SeenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const { status, headers, body } = JSON.parse(
  readFileSync(process.env.BENCH_SEEN_ANSWER ?? '', 'utf8'),
) as SeenAnswer;

export async function POST(): Promise<Response> {
  return new Response(body, { status, headers });
}
