// A process that outlives the servers in it. Starting a server takes a tenth of the time of a new process, and ending it is
// as sudden as kill -9 (lifetime.ts). It runs one server at a time, and tests control it by messages.
import { watchLifetimes } from './lifetime';
import { setMachineTime } from './machine-time';
import type { HostAnswer, HostRequest } from './messages';

async function main(): Promise<void> {
  await watchLifetimes();
  const { killApp, startApp } = await import('./hosted-app');
  const carryOut = async (request: HostRequest): Promise<HostAnswer> => {
    try {
      if (request.do === 'start') await startApp(request);
      else if (request.do === 'kill') killApp();
      else setMachineTime(request.aheadMs);
      return {};
    } catch (error) {
      return { failure: String(error) };
    }
  };
  process.on('message', async (request: HostRequest) => process.send?.(await carryOut(request)));
  // An orderly exit could wait for a thread of a server that was killed.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}

main();
