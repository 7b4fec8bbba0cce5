import { readdir, readFile } from 'node:fs/promises';

export interface BrowserProcesses {
  readonly running: readonly number[];
  /** Dead children that the process has not reaped. */
  readonly zombies: readonly number[];
  /** The memory used by the running ones, in bytes. */
  readonly memory: number;
}

/** The processes of the browsers that a process started (this process by default), according to Linux's /proc. */
export async function browserProcesses(owner = process.pid): Promise<BrowserProcesses> {
  const running: number[] = [];
  const zombies: number[] = [];
  let memory = 0;
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const name of names) {
    const read = (file: string) => readFile(`/proc/${name}/${file}`, 'latin1').catch(() => '');
    const [command, stat] = await Promise.all([read('cmdline'), read('stat')]);
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' && Number(fields[1]) === owner) zombies.push(Number(name));
    if (!command.includes(`browser.${owner}.`)) continue;
    running.push(Number(name));
    memory += Number(fields[21]) * 4096;
  }
  return { running, zombies, memory };
}
