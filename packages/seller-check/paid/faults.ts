/** How one thing that a seller depends on misbehaves: it carries out a call or not, and decides what the caller gets. */
export type Misbehavior<Call, Answer> = (carryOut: () => Promise<Answer>, call: Call) => Promise<Answer>;

/** A misbehavior that is in force. */
export interface Fault {
  /** How many calls it has met. */
  readonly hits: number;
  /** Resolves when it meets a call for the first time. */
  readonly reached: Promise<void>;
  end(): void;
}

/** A misbehavior that keeps calls waiting. */
export interface Hold extends Fault {
  /** Lets the waiting calls go on, and later ones pass. */
  release(): void;
}

interface Rule<Call, Answer> {
  readonly names: readonly string[];
  readonly misbehavior: Misbehavior<Call, Answer>;
  left: number;
  hits: number;
  reach(): void;
}

/** The misbehaviors of a node or a facilitator. The newest one that fits a call meets it. */
export class Faults<Call, Answer> {
  #rules: Rule<Call, Answer>[] = [];
  #holds = new Set<() => void>();

  /** @param name which calls: by method or route, or `*` */
  on(
    name: string | readonly string[],
    misbehavior: Misbehavior<Call, Answer>,
    times = Number.POSITIVE_INFINITY,
  ): Fault {
    let reach: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    const names = typeof name === 'string' ? [name] : name;
    const rule: Rule<Call, Answer> = { names, misbehavior, left: times, hits: 0, reach };
    this.#rules.push(rule);
    return {
      get hits() {
        return rule.hits;
      },
      reached,
      end: () => {
        this.#rules = this.#rules.filter((other) => other !== rule);
      },
    };
  }

  /** Keeps calls waiting: before they are carried out, or afterwards with the answer kept back. */
  hold(name: string, at: 'before' | 'after'): Hold {
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const fault = this.on(name, async (carryOut) => {
      const answer = at === 'after' ? await carryOut() : null;
      await opened;
      return answer ?? carryOut();
    });
    const release = () => {
      fault.end();
      open();
      this.#holds.delete(release);
    };
    this.#holds.add(release);
    return {
      get hits() {
        return fault.hits;
      },
      reached: fault.reached,
      end: release,
      release,
    };
  }

  /** Carries out a call, or lets the newest fitting misbehavior decide. */
  async meet(name: string, call: Call, carryOut: () => Promise<Answer>): Promise<Answer> {
    const rule = this.#rules.findLast(
      ({ names, left }) => left > 0 && (names.includes(name) || names.includes('*')),
    );
    if (!rule) return carryOut();
    rule.left -= 1;
    rule.hits += 1;
    const answer = rule.misbehavior(carryOut, call);
    rule.reach();
    return answer;
  }

  clear(): void {
    for (const release of this.#holds) release();
    this.#rules = [];
  }
}
