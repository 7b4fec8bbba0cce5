// Baseline of `unpaid`: a handler that only sends the bytes and headers recorded from our response.
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
