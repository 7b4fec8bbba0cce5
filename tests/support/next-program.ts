// Runs what `next start` runs, with timings that the test chooses. instrumentation.ts finds the app that is started here, and does
// not start another one.
import { startServer } from 'next/dist/server/lib/start-server';
import { startUnderFramework } from '@/app/_routes/start-under-framework';
import type { Timings } from '@/lib/platform/timings';

const { HOST, PORT, TIMINGS } = process.env;

// TIMINGS is set by startServer in server.ts, which waits for what the app logs.
void startUnderFramework(process.env, JSON.parse(TIMINGS ?? '') as Timings);
void startServer({
  dir: process.cwd(),
  isDev: false,
  hostname: HOST,
  port: Number(PORT),
  allowRetry: false,
  keepAliveTimeout: 70_000,
});
