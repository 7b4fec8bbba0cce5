// Starts one of everything within a lifetime, ends the lifetime, and prints what still happened, as JSON.
import { watchLifetimes } from '../../support/host/lifetime';

async function main(): Promise<void> {
  await watchLifetimes();
  const { Lifetime } = await import('../../support/host/lifetime');
  const { mkdtemp, rm, writeFile, access } = await import('node:fs/promises');
  const { default: events } = await import('node:events');
  const net = await import('node:net');
  const path = await import('node:path');
  const { tmpdir } = await import('node:os');
  const { spawn } = await import('node:child_process');
  const { setTimeout: pause } = await import('node:timers/promises');

  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-lifetime-'));
  const heard: string[] = [];
  const server = net.createServer((socket) => {
    heard.push('connection');
    socket.on('data', (data) => heard.push(String(data)));
    socket.on('close', () => heard.push('close'));
    socket.on('error', () => undefined);
  });
  await events.once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as import('node:net').AddressInfo;

  const happened: string[] = [];
  const lifetime = new Lifetime();
  let childPid = 0;
  await lifetime.run(async () => {
    const socket = net.connect(port, '127.0.0.1');
    await events.once(socket, 'connect');
    socket.write('before');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    childPid = child.pid ?? 0;
    setInterval(() => happened.push('interval'), 30);
    setTimeout(() => happened.push('timeout'), 60);
    pause(60).then(() => happened.push('pause'));
    pause(1).then(async () => {
      await writeFile(path.join(folder, 'begun'), '');
      happened.push('begun file');
      await pause(30);
      await writeFile(path.join(folder, 'late'), '');
    });
    while (!happened.includes('begun file') || !heard.includes('before')) await pause(1);
  });
  happened.length = 0;
  lifetime.run(() => {
    setTimeout(() => {
      net.connect(port, '127.0.0.1').on('connect', () => happened.push('late connection'));
      writeFile(path.join(folder, 'prompt'), '').then(() => happened.push('late file'));
    }, 15);
  });
  lifetime.end();
  await pause(300);
  const files = ['begun', 'late', 'prompt'];
  const exists = await Promise.all(
    files.map((name) =>
      access(path.join(folder, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  await rm(folder, { recursive: true });
  console.log(
    JSON.stringify({
      isChildAlive: isAlive(childPid),
      happened,
      heard,
      files: files.filter((_, index) => exists[index]),
    }),
  );
  process.exit();
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

main();
