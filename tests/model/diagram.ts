import { existsSync, readFileSync } from 'node:fs';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { StateDiagram } from '@/app/_site/states/diagram';
import { callEvents } from '@/lib/ledger/states';
import type { CallEventName } from './state';

/** The reason for each move. */
const reasons: Readonly<Record<CallEventName, string>> = {
  prepared: 'prepared',
  settled: 'payment found on the chain',
  settledAfterRefusal: 'payment found on the chain after all',
  refused: 'payment cannot be made',
  refusedForGood: 'account balance too low',
  unprepared: 'preparation failed',
  unpreparedAgain: 'preparation failed again',
  outcomeUnknown: 'outcome not known in time',
  resubmitted: 'sent again',
  delivered: 'response stored',
  kept: 'error stored, payment kept',
  keptByOperator: 'operator keeps the payment',
  needsAttention: 'given up',
  refunded: 'operator refunds',
  undone: 'block removed',
  reopened: 'retry, payment still valid',
  restarted: 'retry, nothing was sent',
};

const page = 'docs/reliability.md';
const drawing = 'docs/states.svg';
/** The table of moves on the page. */
const table = /\| Move \| Why \|\n(?:\|.*\n)+/;

/** The drawing is shown by browsers, on the paper of the page, and by readers of the repository. */
const style = [
  'svg{font:14px system-ui,sans-serif}text{fill:#111}.paper{fill:#fff}',
  'path{fill:none;stroke:#5f6771;stroke-width:1.5}marker path{fill:#5f6771;stroke:none}.usual{stroke:#111;stroke-width:2.5}',
  '.removed{stroke:#9a3412;stroke-dasharray:6 4}.refund{stroke:#1a4fb4;stroke-dasharray:2 4}',
  'g rect{fill:#fff;stroke:#111;stroke-width:1.5}',
  '@media (prefers-color-scheme:dark){text{fill:#f0f1f4}.paper,g rect{fill:#15171b}g rect,.usual{stroke:#f0f1f4}',
  'path{stroke:#b2b8c3}marker path{fill:#b2b8c3}.removed{stroke:#e9a878}.refund{stroke:#8fb3ff}}',
].join('');

function drawStates(): string {
  const title = 'The states of a paid call, with an arrow for each move';
  return `${renderToStaticMarkup(createElement(StateDiagram, { title, style }))}\n`;
}

/** Every move of a paid call and its reason, from the table that the product's statements are composed from. */
function listMoves(): string {
  const rows = Object.entries(callEvents).map(([name, { from, to }]) => {
    const states = from.map((state) => `\`${state}\``).join(', ');
    return `| ${states} → \`${to}\` | ${capitalized(reasons[name as CallEventName])} |`;
  });
  const beginnings = ['| → `claimed` | A request |', '| → `settling` | A request, nothing to prepare |'];
  return ['| Move | Why |', '|---|---|', ...beginnings, ...rows, ''].join('\n');
}

const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

interface Drawn {
  readonly file: string;
  readonly current: string;
  readonly wanted: string;
}

/** The files with the states of a paid call, as they are and as they should be. */
export function drawnFiles(): readonly Drawn[] {
  const text = readFileSync(page, 'utf8');
  const svg = existsSync(drawing) ? readFileSync(drawing, 'utf8') : '';
  return [
    { file: page, current: text, wanted: text.replace(table, () => listMoves()) },
    { file: drawing, current: svg, wanted: drawStates() },
  ];
}
