/**
 * A small explicit-state model checker: explores every state that a model can reach, breadth first, and finds the shortest history
 * that breaks a promise.
 */

/** Who makes a step: `fault` and `client` steps may never happen, all others happen sooner or later. */
export type StepKind = 'work' | 'world' | 'client' | 'fault';

export interface Step<State> {
  /** In words: who does what. A model's steps from one state have different labels. */
  readonly label: string;
  readonly kind: StepKind;
  readonly next: State;
}

export interface Model<State> {
  readonly initial: State;
  /** The same text for the same state. */
  keyOf(state: State): string;
  stepsFrom(state: State): readonly Step<State>[];
  /** The promises that a state breaks. */
  broken(state: State): readonly string[];
  /** Whether nothing is left to do. */
  isEnd(state: State): boolean;
}

/** A history in which a promise does not hold. */
export interface Counterexample {
  readonly promise: string;
  /** The steps in order. */
  readonly steps: readonly string[];
}

export interface Exploration {
  readonly states: number;
  readonly steps: number;
  /** The most steps that the shortest history to any state has. */
  readonly depth: number;
  readonly ends: number;
  /** Null when the promises hold in every state, and every state leads to an end once faults and clients have stopped. */
  readonly counterexample: Counterexample | null;
}

/** A growing list of whole numbers. */
class Numbers {
  #values = new Int32Array(1 << 16);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Int32Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    return this.#values[index] ?? -1;
  }
}

/** What is known about the states that were found, by number in the order in which they were found. */
class Found {
  readonly #numbers = new Map<string, number>();
  readonly #parents = new Numbers();
  readonly #labels: string[] = [];
  readonly #depths = new Numbers();

  get count(): number {
    return this.#parents.length;
  }

  numberOf(key: string): number | undefined {
    return this.#numbers.get(key);
  }

  add(key: string, parent: number, label: string): number {
    const number = this.count;
    this.#numbers.set(key, number);
    this.#parents.push(parent);
    this.#labels.push(label);
    this.#depths.push(parent < 0 ? 0 : this.#depths.at(parent) + 1);
    return number;
  }

  depthOf(number: number): number {
    return this.#depths.at(number);
  }

  /** The steps of the shortest history that leads to a state. */
  stepsTo(number: number): string[] {
    const steps: string[] = [];
    for (let at = number; this.#parents.at(at) >= 0; at = this.#parents.at(at))
      steps.push(this.#labels[at] ?? '');
    return steps.reverse();
  }
}

/**
 * Explores every state of a model, or those before the first that breaks a promise.
 * @param onStep is told of every step that is explored
 */
export function explore<State>(model: Model<State>, onStep?: (step: Step<State>) => void): Exploration {
  const found = new Found();
  // Steps that happen without faults and clients, backward: for each the state that it leads to, and where it comes from.
  const targets = new Numbers();
  const sources = new Numbers();
  const ends: number[] = [];
  let steps = 0;
  let counterexample: Counterexample | null = null;

  const take = (state: State, key: string, parent: number, label: string): number => {
    const number = found.add(key, parent, label);
    const [promise] = model.broken(state);
    if (promise !== undefined && !counterexample) counterexample = { promise, steps: found.stepsTo(number) };
    if (model.isEnd(state)) ends.push(number);
    return number;
  };

  let layer: { state: State; number: number }[] = [
    { state: model.initial, number: take(model.initial, model.keyOf(model.initial), -1, '') },
  ];
  while (layer.length > 0 && !counterexample) {
    const next: typeof layer = [];
    for (const { state, number } of layer) {
      for (const step of model.stepsFrom(state)) {
        steps += 1;
        onStep?.(step);
        const key = model.keyOf(step.next);
        const known = found.numberOf(key);
        const to = known ?? take(step.next, key, number, step.label);
        if (known === undefined) next.push({ state: step.next, number: to });
        if (step.kind === 'work' || step.kind === 'world') {
          targets.push(to);
          sources.push(number);
        }
        if (counterexample) break;
      }
      if (counterexample) break;
    }
    layer = next;
  }
  const stuck = counterexample ? null : firstWithoutEnd(found.count, ends, targets, sources);
  if (stuck !== null)
    counterexample = {
      promise: 'a call comes to an end once all faults have ended',
      steps: found.stepsTo(stuck),
    };
  return {
    states: found.count,
    steps,
    depth: found.depthOf(found.count - 1),
    ends: ends.length,
    counterexample,
  };
}

/** The first state from which no end can be reached; null when there is none. */
function firstWithoutEnd(
  count: number,
  ends: readonly number[],
  targets: Numbers,
  sources: Numbers,
): number | null {
  const starts = new Int32Array(count + 1);
  for (let at = 0; at < targets.length; at += 1)
    starts[targets.at(at) + 1] = (starts[targets.at(at) + 1] ?? 0) + 1;
  for (let at = 0; at < count; at += 1) starts[at + 1] = (starts[at + 1] ?? 0) + (starts[at] ?? 0);
  const filled = starts.slice();
  const before = new Int32Array(targets.length);
  for (let at = 0; at < targets.length; at += 1) {
    const place = filled[targets.at(at)] ?? 0;
    before[place] = sources.at(at);
    filled[targets.at(at)] = place + 1;
  }
  const reaches = new Uint8Array(count);
  const open = [...ends];
  for (const end of ends) reaches[end] = 1;
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (let at = starts[state] ?? 0; at < (starts[state + 1] ?? 0); at += 1) {
      const source = before[at] ?? 0;
      if (reaches[source] === 1) continue;
      reaches[source] = 1;
      open.push(source);
    }
  }
  const stuck = reaches.indexOf(0);
  return stuck < 0 ? null : stuck;
}

/** A counterexample in words, as numbered steps. */
export function describeCounterexample({ promise, steps }: Counterexample): string {
  return [`broken: ${promise}`, ...steps.map((step, index) => `${index + 1}. ${step}`)].join('\n');
}

/**
 * Follows steps by their labels.
 * @returns the last state
 * @throws Error with the steps that are possible instead
 */
export function follow<State>(model: Model<State>, labels: readonly string[]): State {
  return labels.reduce((state, label, index) => {
    const steps = model.stepsFrom(state);
    const step = steps.find((one) => one.label === label);
    if (step) return step.next;
    const possible = steps.map((one) => `  ${one.label}`).join('\n');
    throw new Error(`step ${index + 1}, "${label}", is not possible here. These are:\n${possible}`);
  }, model.initial);
}
