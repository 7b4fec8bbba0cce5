import type { DatabaseAction } from '../support/database-proxy';
import { refuseSerialization } from './crash-points/actions';
import type { Rig } from './rig/rig';

/** Statements of a server that are held back. */
export interface HeldStatement {
  /** Resolves when the server has sent the first one. */
  readonly reached: Promise<void>;
  /** Executes the held statements, and later ones too. */
  release(): void;
  /** Makes the held statements fail. Later ones are executed. */
  fail(): void;
}

const holds = new WeakMap<Rig, { text: string; action: DatabaseAction; isOver: () => boolean }[]>();

/** Holds every statement with this text that a rig's server sends; several texts may be held at once. */
export function holdStatement(rig: Rig, text: string): HeldStatement {
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  let decide: (how: 'release' | 'fail') => void = () => undefined;
  let isOver = false;
  const decided = new Promise<'release' | 'fail'>((resolve) => {
    decide = (how) => {
      isOver = true;
      resolve(how);
    };
  });
  const action: DatabaseAction = async (exchange) => {
    reach();
    if ((await decided) === 'fail') return refuseSerialization(exchange);
    exchange.reply(await exchange.forward());
  };
  const held = [...(holds.get(rig) ?? []), { text, action, isOver: () => isOver }];
  holds.set(rig, held);
  rig.database.intercept(
    (statement) => held.find((one) => !one.isOver() && statement.includes(one.text))?.action ?? null,
  );
  return { reached, release: () => decide('release'), fail: () => decide('fail') };
}
