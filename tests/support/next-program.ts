// What `next start` runs, on timings that the test chooses: instrumentation.ts finds the app that is started here, and starts
// no other.
import { startServer } from 'next/dist/server/lib/start-server';
import { startUnderFramework } from '@/app/_routes/start-under-framework';
import type { Timings } from '@/lib/platform/timings';

const { HOST, PORT, TIMINGS } = process.env;

// Written by startServer in server.ts. It waits for what the app writes to the log.
void startUnderFramework(process.env, JSON.parse(TIMINGS ?? '') as Timings);
void startServer({
  dir: process.cwd(),
  isDev: false,
  hostname: HOST,
  port: Number(PORT),
  allowRetry: false,
});
