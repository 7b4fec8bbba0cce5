import type { Dice } from './dice';
import { ServiceProcess } from './process';
import type { World } from './world';

/** The processes of the service, which come back after a while when they are killed. */
export class Fleet {
  readonly #world: World;
  readonly #dice: Dice;
  readonly #running: ServiceProcess[] = [];
  readonly #runs: number[];
  readonly #kills: { left: number };

  constructor(world: World) {
    this.#world = world;
    this.#dice = world.dice('fleet');
    this.#runs = world.plan.processes.map(() => 0);
    this.#kills = { left: world.plan.killsMax };
  }

  start(): void {
    for (const index of this.#runs.keys()) this.#start(index);
  }

  /** One of the processes; its clients do not know whether it is alive. */
  any(dice: Dice): ServiceProcess {
    return dice.pick(this.#running);
  }

  /** A process is stopped in order and started again. */
  async restart(): Promise<void> {
    const index = this.#dice.between(0, this.#running.length - 1);
    const process = this.#running[index];
    if (!process || process.isKilled) return;
    this.#world.happens('restarted', process.id, 'is restarted');
    await process.stop();
    if (process.isKilled) return;
    process.kill();
    this.#start(index);
  }

  /** The machine of a process has its time set. */
  jump(): void {
    const process = this.any(this.#dice);
    const ms = this.#dice.between(-600, 600) * 1_000;
    this.#world.happens('clock jumps', process.id, `its clock jumps by ${ms / 1_000} s`);
    process.clock.jump(ms);
  }

  /** Starts the processes again that have been killed. */
  async watch(): Promise<never> {
    for (;;) {
      await this.#world.clock.sleep(500);
      for (const [index, process] of this.#running.entries()) {
        const isBack = !this.#world.isFaulty || this.#dice.chance(0.1);
        if (process.isKilled && isBack) this.#start(index);
      }
    }
  }

  #start(index: number): void {
    const plan = this.#world.plan.processes[index];
    if (!plan) throw new Error(`no process ${index}`);
    const run = (this.#runs[index] ?? 0) + 1;
    this.#runs[index] = run;
    const process = new ServiceProcess(this.#world, plan, run, this.#kills);
    this.#running[index] = process;
    void process.start();
  }
}
