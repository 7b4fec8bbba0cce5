import type { ChainBlock } from '@/simulator/chain-view';
import type { ClientRequest } from '@/simulator/client';
import { type Session, usdc } from '@/simulator/session';
import { simulatorIds as ids } from '../../simulator/parts';
import { code, element } from '../try/elements';

/** Shows everything that a session has, in the places that the page keeps for it. */
export function show(session: Session): void {
  showLast(session);
  showClient(session);
  showServer(session);
  showChain(session);
  const events = session.events.map(({ atMs, where, what }) =>
    element(
      'li',
      {},
      element('span', { className: 'quiet' }, seconds(atMs)),
      ' ',
      element('strong', {}, names[where]),
      ` ${what}`,
    ),
  );
  place(ids.events).replaceChildren(...events.reverse());
}

const names = { client: 'Client', server: 'Server', chain: 'Chain', you: 'You' } as const;

function place(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(3)} s`;

function showLast(session: Session): void {
  const now = place(ids.now);
  const last = session.events.at(-1);
  const said = last ? `${names[last.where]}: ${last.what}` : 'Nothing has been bought yet.';
  const judgement = session.isOver ? session.judge() : null;
  now.className = `notice simulator-now${judgement ? (judgement.isKept ? ' good' : ' wrong') : ''}`;
  place(ids.last).textContent = said;
  place(ids.verdict).hidden = judgement === null;
  place(ids.verdict).textContent = judgement ? `${judgement.headline}.` : '';
  place(ids.broken).replaceChildren(
    ...(judgement?.broken ?? []).map((promise) => element('li', {}, promise)),
  );
}

function showClient({ requests }: Session): void {
  const rows = requests.map(({ number, outcome }) =>
    element('li', {}, element('span', { className: 'note' }, `Request ${number}`), ...outcomeWords(outcome)),
  );
  place(ids.requests).replaceChildren(...rows);
}

function outcomeWords(outcome: ClientRequest['outcome']): (Node | string)[] {
  if (outcome === null) return ['waiting for its response'];
  if (outcome === 'connection lost') return [outcome];
  const { status, code: errorCode, isReplay } = outcome;
  const words = errorCode === null ? (isReplay ? 'the stored result' : 'the result') : code(errorCode);
  return [element('strong', {}, String(status)), ' ', words];
}

function showServer(session: Session): void {
  const { isServerUp, state, reached, moves, postings } = session.server;
  place(ids.process).textContent = isServerUp ? 'The process is up.' : 'The process is down.';
  place(ids.process).classList.toggle('error', !isServerUp);
  for (const one of place(ids.states).children) {
    const { state: own = '' } = one instanceof HTMLElement ? one.dataset : {};
    const isCurrent = own === state;
    one.classList.toggle('reached', reached.includes(own));
    if (isCurrent) one.setAttribute('aria-current', 'step');
    else one.removeAttribute('aria-current');
  }
  const diagram = place(ids.moves);
  for (const box of diagram.querySelectorAll<SVGElement>('[data-state]')) {
    const { state: own = '' } = box.dataset;
    box.classList.toggle('reached', reached.includes(own));
    box.classList.toggle('current', own === state);
  }
  for (const arrow of diagram.querySelectorAll<SVGElement>('[data-move]'))
    arrow.classList.toggle('made', moves.includes(arrow.dataset.move ?? ''));
  const rows = postings.map(({ kind, amount, debit, credit }) =>
    element(
      'li',
      {},
      `${kind.replaceAll('_', ' ')}: ${amount}`,
      element('span', { className: 'note' }, `${debit} → ${credit}`),
    ),
  );
  place(ids.postings).replaceChildren(...(rows.length > 0 ? rows : [element('li', {}, 'none yet')]));
}

function showChain(session: Session): void {
  const { payer, seller } = session.balances;
  place(ids.payer).textContent = usdc(payer);
  place(ids.seller).textContent = usdc(seller);
  const { blocks, waiting } = session.chain;
  place(ids.waiting).textContent =
    waiting === 0 ? 'no transaction' : `${waiting} transaction${waiting > 1 ? 's' : ''}`;
  place(ids.blocks).replaceChildren(...blocks.map(blockRow));
}

function blockRow({ number, transactions, status }: ChainBlock): HTMLElement {
  const words = [
    ...(status === 'replaced' ? ['replaced'] : []),
    ...(status === 'final' ? ['final'] : []),
    transactions.length === 0 ? 'empty' : `transaction ${transactions.join(', ')}`,
  ];
  const row = element(
    'li',
    { className: status },
    element('strong', {}, String(number)),
    ` ${words.join(', ')}`,
  );
  row.classList.toggle('filled', transactions.length > 0);
  return row;
}
