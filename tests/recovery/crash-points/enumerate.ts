import { isSweep } from '../../support/sweep';
import { contradictions } from '../history/contradictions';
import { History } from '../history/history';
import { openCalls } from '../history/ledger';
import { callsOf, transfersOf } from '../rig/found';
import type { Answer, SignedRequest } from '../rig/requests';
import type { Rig } from '../rig/rig';
import { pause, until } from '../rig/waiting';
import { nameOfScenario, requestOf, type Scenario } from './scenarios';
import type { Services } from './services';
import { type Message, nameOf, type Point, pointsOf, Tap } from './tap';

/** How long to listen to the server's own messages while nobody calls. Most of them are repeated within this time. */
const idleMs = 1_000;
/** Within a minute of the end of all faults, no call is open (docs/reliability.md). */
const endWithinMs = 60_000;
/** How many requests are signed in advance. Solana's blockhashes are valid for a minute. */
const signedAtOnce = 8;
const clientPauseMs = 50;
const furtherRunsMax = 3;
/** Further polls of a chain do not differ from the second. */
const pollsMax = 2;

const keyOf = ({ to, label, nth }: Message) => `${to} ${label} ${nth}`;

/** Runs a scenario on a rig of its own, and breaks its messages one at a time. */
export class Enumeration {
  readonly #rig: Rig;
  readonly #scenario: Scenario;
  readonly #tap: Tap;
  readonly #history = new History();
  readonly #pointOf = new Map<SignedRequest, string>();
  #missed: Point[] = [];

  constructor(rig: Rig, scenario: Scenario, services: Services) {
    this.#rig = rig;
    this.#scenario = scenario;
    this.#tap = new Tap(rig, services);
  }

  /**
   * Runs the scenario undisturbed, twice. The server's own occasional messages, too rare to be heard while listening to it, do not
   * come at the same place in both runs.
   * @returns every message that the call itself takes, in order
   */
  async messages(): Promise<Message[]> {
    // A server maintains its signer from its first settlement on, and then reads once what does not change.
    const request = await this.#prepare();
    await this.#history.persist(request);
    const background = await this.#hearIdle();
    const first = await this.#hearRun();
    const second = new Set((await this.#hearRun()).map(keyOf));
    return first.filter(
      (message) =>
        !background.has(`${message.to} ${message.label}`) &&
        second.has(keyOf(message)) &&
        (message.writes || message.nth <= pollsMax),
    );
  }

  /**
   * The points that a server or its client can distinguish; in the sweep, all points.
   *
   * A kill at a message that only reads has the same result as a kill at the write before it. So does a kill before a write, unless
   * the operation reaches more than chains and database in between. However a read fails, the server sees only an error, so each
   * read fails in one of the ways, in rotation. Reading something twice changes nothing.
   */
  points(messages: readonly Message[]): Point[] {
    const { isBroken = false, reaches } = this.#scenario;
    let reads = 0;
    return messages.flatMap((message, index) => {
      const all = pointsOf(message);
      if (isSweep) return all;
      const kills = all.filter(({ fault: { kills } }) =>
        kills === 'before' ? index === 0 || (reaches && message.writes) : kills && message.writes,
      );
      const broken = all.filter(({ fault }) => isBroken && !fault.kills);
      if (message.writes) return [...kills, ...broken];
      const late = broken.filter(({ fault: { read } }) => read === 'late');
      const failing = broken.filter(({ fault: { read } }) => read === 'fails');
      reads += 1;
      return [...kills, ...late, ...failing.slice(reads % failing.length).slice(0, 1)];
    });
  }

  /** Breaks the points one after another. @returns what was not as it should be */
  async run(points: readonly Point[]): Promise<string[]> {
    const broken = await this.#breakEach(points);
    // Some messages come only occasionally, such as the renewal of a lease. Another run may have them.
    for (let again = 1; again <= furtherRunsMax && this.#missed.length > 0; again += 1)
      broken.push(...(await this.#breakEach(this.#missed.splice(0))));
    return broken;
  }

  /**
   * Points of the call that no run reached.
   *
   * Messages that a server sends only on a busy machine, such as a transaction sent again because its block is late, are not
   * part of the call. Once the machine is no longer busy, neither further runs nor an undisturbed one have them.
   */
  async unreached(): Promise<string[]> {
    if (this.#missed.length === 0) return [];
    const heard = new Set((await this.#hearRun()).map(keyOf));
    return this.#missed.filter(({ message }) => heard.has(keyOf(message))).map(nameOf);
  }

  async #breakEach(points: readonly Point[]): Promise<string[]> {
    const broken: string[] = [];
    for (let start = 0; start < points.length; start += signedAtOnce) {
      const next = points.slice(start, start + signedAtOnce);
      const requests = await Promise.all(next.map(() => this.#prepare()));
      for (const [index, point] of next.entries()) {
        const request = requests[index];
        if (request) broken.push(...(await this.#break(point, request)));
      }
    }
    return broken;
  }

  /** Checks after all runs that each payer paid once and got one call, and runs the audit. @returns what is wrong */
  async verdict(): Promise<string[]> {
    this.#tap.close();
    const open = await this.#leftOpen();
    const broken: string[] = [];
    for (const entry of this.#pointOf) broken.push(...(await this.#count(...entry)));
    const lines = [...(await contradictions(this.#rig, this.#history)), ...(await this.#rig.audit())];
    const named = lines.map((line) => {
      const known = [...this.#pointOf].find(([{ authorization }]) => line.includes(authorization));
      return known ? `${line} [${known[1]}]` : line;
    });
    return [...open, ...broken, ...named];
  }

  /** The calls that do not finish by themselves. */
  async #leftOpen(): Promise<string[]> {
    const ended = until('nothing is open', async () => (await openCalls(this.#rig)).length === 0);
    return ended.then(
      () => [],
      async () => (await openCalls(this.#rig)).map(({ id, state }) => `${id} stays ${state}`),
    );
  }

  async #break(point: Point, request: SignedRequest): Promise<string[]> {
    const what = nameOf(point);
    this.#pointOf.set(request, what);
    const happened = this.#tap.arm(point);
    const answer = this.#history.persist(request, endWithinMs, () => 20_000, undefined, clientPauseMs);
    answer.catch(() => undefined);
    await Promise.race([happened, answer.catch(() => undefined)]);
    const isMissed = this.#tap.disarm();
    if (isMissed) this.#missed.push(point);
    else await happened;
    if (point.fault.kills) {
      await this.#rig.passTakeoverTime();
      await this.#rig.start();
    }
    const last = await answer.catch((error: Error) => error);
    if (last instanceof Error) return [`${what}: ${last.message}`];
    const isWanted = !isMissed && this.#endsKept(point) ? this.#isKept(last) : last.status === 200;
    return isWanted ? [] : [`${what}: ended ${last.status} ${JSON.stringify(last.body)}`];
  }

  /** Whether a call ended as kept, after one request to its provider. */
  #isKept({ status, body }: Answer): boolean {
    const asked = this.#tap.heard().filter(({ to }) => to === 'provider').length;
    const { code, payment } = body.error ?? {};
    return status === 502 && code === 'upstream_failed' && payment === 'kept' && asked === 1;
  }

  /** A provider that did not respond is not asked again, unless the server was killed and the client retries. */
  #endsKept({ to, fault: { kills, read } }: Point): boolean {
    return this.#scenario.reaches === 'provider' && to === 'provider' && kills === null && read === 'fails';
  }

  async #count({ payer, network }: SignedRequest, what: string): Promise<string[]> {
    const transfers = await transfersOf(this.#rig, payer, network);
    const all = await callsOf(this.#rig, payer);
    // The key or voucher of a call that was certainly not paid can be used for a new call.
    const isFreed = network === 'account' || network === 'channel';
    const calls = isFreed ? all.filter(({ state }) => state !== 'refused') : all;
    const { followsUpload, throughChannel } = this.#scenario;
    const wanted = followsUpload || throughChannel === 'voucher' ? 2 : 1;
    return [
      ...(transfers.length === wanted ? [] : [`${what}: ${transfers.length} transfers and not ${wanted}`]),
      ...(calls.length === wanted ? [] : [`${what}: ${calls.length} paid calls and not ${wanted}`]),
    ];
  }

  async #hearRun(): Promise<readonly Message[]> {
    const request = await this.#prepare();
    this.#tap.listen();
    const { status, body } = await this.#history.ask(request);
    if (status !== 200)
      throw new Error(`${nameOfScenario(this.#scenario)} undisturbed: ${status} ${JSON.stringify(body)}`);
    return this.#tap.heard();
  }

  async #hearIdle(): Promise<ReadonlySet<string>> {
    this.#tap.listen();
    await pause(idleMs);
    return new Set(this.#tap.heard().map(({ to, label }) => `${to} ${label}`));
  }

  #prepare(): Promise<SignedRequest> {
    return requestOf(
      this.#scenario,
      this.#rig,
      async (request) => (await this.#history.persist(request)).body,
    );
  }
}
