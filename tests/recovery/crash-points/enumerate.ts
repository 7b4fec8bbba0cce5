import { contradictions } from '../history/contradictions';
import { History } from '../history/history';
import { openCalls } from '../history/ledger';
import { callsOf, transfersOf } from '../rig/found';
import type { SignedRequest } from '../rig/requests';
import type { Rig } from '../rig/rig';
import { pause, until } from '../rig/waiting';
import { newPayer, signFor, ways } from '../rig/ways';
import type { Scenario } from './scenarios';
import { type Message, nameOf, type Point, pointsOf, Tap } from './tap';

/** What the server says on its own while nobody calls: its rarest job but expiry comes every five seconds. */
const idleMs = 6_000;
const endWithinMs = 90_000;

/** A scenario and one of its points. */
export interface Case {
  readonly scenario: Scenario;
  readonly point: Point;
}

const keyOf = ({ to, label, nth }: Message) => `${to} ${label} ${nth}`;

/** Runs scenarios on a rig, and breaks their messages one at a time. */
export class Enumeration {
  readonly #rig: Rig;
  readonly #tap: Tap;
  readonly #history = new History();
  readonly #pointOf = new Map<string, string>();
  #background: ReadonlySet<string> | null = null;
  /** Points whose message did not come in the run that was to break it. */
  readonly unreached: string[] = [];

  constructor(rig: Rig) {
    this.#rig = rig;
    this.#tap = new Tap(rig);
  }

  /**
   * Runs a scenario undisturbed, twice: what the server says now and then on its own, more rarely than it was listened to,
   * does not come at the same place in both.
   * @returns every message that the scenario itself takes, in order
   */
  async messagesOf(scenario: Scenario): Promise<Message[]> {
    const background = await this.#listenIdle();
    const first = await this.#hearRun(scenario);
    const second = new Set((await this.#hearRun(scenario)).map(keyOf));
    return first.filter(
      (message) => !background.has(`${message.to} ${message.label}`) && second.has(keyOf(message)),
    );
  }

  async #hearRun(scenario: Scenario): Promise<readonly Message[]> {
    const request = await this.#prepare(scenario);
    this.#tap.listen();
    const { status, body } = await this.#history.ask(request);
    if (status !== 200) throw new Error(`${scenario.what} undisturbed: ${status} ${JSON.stringify(body)}`);
    return this.#tap.heard();
  }

  async casesOf(scenario: Scenario): Promise<Case[]> {
    const messages = await this.messagesOf(scenario);
    return messages.flatMap(pointsOf).map((point) => ({ scenario, point }));
  }

  /** Breaks one message of a scenario. @returns what was not as it must be */
  async run({ scenario, point }: Case): Promise<string[]> {
    const what = `${scenario.what}, ${nameOf(point)}`;
    const request = await this.#prepare(scenario);
    this.#pointOf.set(request.authorization, what);
    const happened = this.#tap.arm(point);
    const answer = this.#history.persist(request, endWithinMs, () => 20_000);
    answer.catch(() => undefined);
    await Promise.race([happened, answer.catch(() => undefined)]);
    if (this.#tap.disarm()) this.unreached.push(what);
    else await happened;
    if (point.fault.kills) {
      await this.#rig.passTakeoverTime();
      await this.#rig.start();
    }
    const found: string[] = [];
    const last = await answer.catch((error: Error) => error);
    if (last instanceof Error) found.push(last.message);
    else if (last.status !== 200) found.push(`ended ${last.status} ${JSON.stringify(last.body)}`);
    const transfers = await transfersOf(this.#rig, request.payer, request.network);
    const calls = await callsOf(this.#rig, request.payer);
    const wanted = 'earlier' in scenario ? 2 : 1;
    if (transfers.length !== wanted) found.push(`${transfers.length} transfers and not ${wanted}`);
    if (calls.length !== wanted) found.push(`${calls.length} paid calls and not ${wanted}`);
    return found.map((words) => `${what}: ${words}`);
  }

  /** The invariant program, after all runs. */
  async verdict(): Promise<string[]> {
    this.#tap.close();
    await until('nothing is open', async () => (await openCalls(this.#rig)).length === 0, 60_000);
    const lines = [...(await contradictions(this.#rig, this.#history)), ...(await this.#rig.audit())];
    return lines.map((line) => {
      const known = [...this.#pointOf].find(([authorization]) => line.includes(authorization));
      return known ? `${line} [${known[1]}]` : line;
    });
  }

  async #listenIdle(): Promise<ReadonlySet<string>> {
    if (this.#background) return this.#background;
    // A server that has settled on a network looks after its signer there from then on.
    await Promise.all(
      ways.map(async (way) => {
        const request = await signFor(way, this.#rig, await newPayer(this.#rig, way));
        await this.#history.persist(request);
      }),
    );
    this.#tap.listen();
    await pause(idleMs);
    this.#background = new Set(this.#tap.heard().map(({ to, label }) => `${to} ${label}`));
    return this.#background;
  }

  /** A new buyer, what it bought before, and the request that is to be disturbed. */
  async #prepare(scenario: Scenario): Promise<SignedRequest> {
    if ('request' in scenario) return scenario.request(this.#rig);
    const { way, wish, earlier } = scenario;
    const wallet = await newPayer(this.#rig, way);
    let id = '';
    if (earlier) {
      const first = await this.#history.persist(await signFor(way, this.#rig, wallet, earlier));
      id = first.body.id;
    }
    return signFor(way, this.#rig, wallet, wish(id));
  }
}
