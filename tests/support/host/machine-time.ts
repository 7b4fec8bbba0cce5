// Lets the time of a machine be set while a server runs, for everything in this process. Timers go on, as they do when a system's
// clock is set.

let aheadMs = 0;

const rightNow = Date.now;
const movedNow = () => rightNow() + aheadMs;

globalThis.Date = new Proxy(Date, {
  get: (target, name, receiver) => (name === 'now' ? movedNow : Reflect.get(target, name, receiver)),
  apply: (target) => new target(movedNow()).toString(),
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [movedNow()] : given, newTarget),
});

/** Sets the time of this machine, in milliseconds ahead of the right one. */
export function setMachineTime(ms: number): void {
  aheadMs = ms;
}
