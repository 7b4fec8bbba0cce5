// The service as a serverless host runs it: the framework's handler behind a server that is not ours, and without a port that
// instrumentation.ts could find.
import { createServer } from 'node:http';
import next from 'next';

async function main(): Promise<void> {
  const { HOST, PORT } = process.env;
  delete process.env.PORT;
  const framework = next({ dev: false, hostname: HOST, port: Number(PORT) });
  await framework.prepare();
  const handle = framework.getRequestHandler();
  createServer((req, res) => handle(req, res)).listen(Number(PORT), HOST, () =>
    console.log('{"msg":"listening"}'),
  );
}

main();
