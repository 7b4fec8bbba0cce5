// Sets the clock of the machine, as everything in this process sees it, while a server runs. Timers are not affected, just as when
// a system clock is set.

let aheadMs = 0;

const rightNow = Date.now;
const movedNow = () => rightNow() + aheadMs;

globalThis.Date = new Proxy(Date, {
  get: (target, name, receiver) => (name === 'now' ? movedNow : Reflect.get(target, name, receiver)),
  apply: (target) => new target(movedNow()).toString(),
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [movedNow()] : given, newTarget),
});

/** Sets the clock of this machine, in milliseconds ahead of the real time. */
export function setMachineTime(ms: number): void {
  aheadMs = ms;
}
