import { Buffer } from 'node:buffer';

/** What the code of the service finds in Node without importing it, for a browser. The build puts it where a name is used. */

/** Callbacks that wait for their turn, each of which is a task of its own, so that all microtasks run in between. */
const waiting: (() => void)[] = [];
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => waiting.shift()?.();

function setImmediate(run: () => void): void {
  waiting.push(run);
  port2.postMessage(null);
}

const process = {
  env: {},
  /** As virtual time counts them. */
  getActiveResourcesInfo: () => waiting.map(() => 'Immediate'),
};

export { Buffer, process, setImmediate };
