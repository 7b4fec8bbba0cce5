import { createHash } from 'node:crypto';
import type { HttpRequest } from '../../support/http-proxy';
import type { RpcCall } from '../../support/rpc-proxy';
import type { NetworkName } from '../rig/chains';
import type { Rig } from '../rig/rig';
import {
  type ChainFault,
  chainFaults,
  type DatabaseFault,
  databaseFaults,
  type ServiceFault,
  serviceFaults,
} from './actions';
import type { ServiceName, Services } from './services';

/** One of the messages of a call: the nth with its label to its destination. */
export interface Message {
  readonly to: 'database' | ServiceName | NetworkName;
  readonly label: string;
  readonly nth: number;
  /** Whether it may change something. */
  readonly writes: boolean;
}

/** A message and its fault. */
export type Point =
  | { readonly message: Message; readonly to: 'database'; readonly fault: DatabaseFault }
  | { readonly message: Message; readonly to: ServiceName; readonly fault: ServiceFault }
  | { readonly message: Message; readonly to: 'chain'; readonly fault: ChainFault };

export function pointsOf(message: Message): Point[] {
  const { to } = message;
  switch (to) {
    case 'database':
      return databaseFaults.map((fault) => ({ message, to, fault }));
    case 'provider':
    case 'store':
      return serviceFaults.map((fault) => ({ message, to, fault }));
    default:
      return chainFaults.map((fault) => ({ message, to: 'chain', fault }));
  }
}

export function nameOf({ message, fault }: Point): string {
  return `${message.to}: ${message.label}, number ${message.nth}: ${fault.what}`;
}

/** Observes all messages of a rig's server to the outside, and breaks one of them. */
export class Tap {
  readonly #rig: Rig;
  readonly #services: Services;
  readonly #seen = new Map<string, number>();
  #messages: Message[] = [];
  #point: Point | null = null;
  #done: () => void = () => undefined;

  constructor(rig: Rig, services: Services) {
    this.#rig = rig;
    this.#services = services;
    rig.database.intercept((statement) => {
      const message = this.#see('database', labelOfStatement(statement), writes.test(statement));
      const point = this.#take(message);
      if (point?.to !== 'database') return null;
      const deal = point.fault.make(() => rig.kill());
      return (exchange) => deal(exchange).finally(this.#done);
    });
    for (const on of rig.networks) {
      rig.proxy(on).on('*', (call, forward) => {
        const message = this.#see(on, labelOfCall(call), writes.test(call.method));
        const point = this.#take(message);
        if (point?.to !== 'chain') return forward();
        const deal = point.fault.make(() => rig.kill());
        return deal(call, forward).finally(this.#done);
      });
    }
    for (const [to, proxy] of services.proxies) {
      proxy.intercept((request) => {
        // Requests to providers and stores cost money or change files, so each message counts as a write.
        const point = this.#take(this.#see(to, labelOfRequest(request), true));
        if (point?.to !== 'provider' && point?.to !== 'store') return null;
        const deal = point.fault.make(() => rig.kill());
        return (exchange) => deal(exchange).finally(this.#done);
      });
    }
  }

  /** Starts counting again. */
  listen(): void {
    this.#seen.clear();
    this.#messages = [];
  }

  /** The messages since the last call of `listen`. */
  heard(): readonly Message[] {
    return this.#messages;
  }

  /** Breaks one message, once. @returns resolves when that has happened */
  arm(point: Point): Promise<void> {
    this.listen();
    this.#point = point;
    return new Promise((resolve) => {
      this.#done = resolve;
    });
  }

  /** @returns whether the point was still to come */
  disarm(): boolean {
    const isLeft = this.#point !== null;
    this.#point = null;
    return isLeft;
  }

  close(): void {
    this.#rig.database.intercept(null);
    this.#rig.clearWays();
    for (const proxy of this.#services.proxies.values()) proxy.intercept(null);
  }

  #see(to: Message['to'], label: string, writes: boolean): Message {
    const key = `${to} ${label}`;
    const nth = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, nth);
    const message = { to, label, nth, writes };
    this.#messages.push(message);
    return message;
  }

  #take({ to, label, nth }: Message): Point | null {
    const wanted = this.#point?.message;
    if (!wanted || wanted.to !== to || wanted.label !== label || wanted.nth !== nth) return null;
    const point = this.#point;
    this.#point = null;
    return point;
  }
}

/** SQL statements that change rows, and chain methods that send a transaction. */
const writes = /\b(INSERT|UPDATE|DELETE)\b|^(eth_sendRawTransaction(Sync)?|sendTransaction)$/;

/** The tables that a statement changes or reads, and what distinguishes it from other statements on them. */
function labelOfStatement(statement: string): string {
  const touched = statement.match(/(INSERT INTO|UPDATE|DELETE FROM|FROM) "?\w+"?/g) ?? [];
  const digest = createHash('sha256').update(statement).digest('hex').slice(0, 4);
  return `${touched.slice(0, 2).join(', ')} (${digest})`;
}

/** The method, and for a simulated call also the function. */
function labelOfCall({ method, params }: RpcCall): string {
  const [first] = params;
  const data = (first as { data?: string } | undefined)?.data;
  return typeof data === 'string' ? `${method} ${data.slice(0, 10)}` : method;
}

/** The method and the path without IDs. */
function labelOfRequest({ method, target }: HttpRequest): string {
  const [path = ''] = target.split('?');
  return `${method} ${path.replace(/[\w-]{16,}/g, '{id}')}`;
}
