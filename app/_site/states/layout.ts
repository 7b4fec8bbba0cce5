import { legalMoves, type PaidCallState } from '@/lib/ledger/states';

/** Where the states of a paid call and the moves between them are in a drawing, in its units. */

export const size = { width: 880, height: 372 } as const;

/** Of the box of a state. */
export const box = { width: 124, height: 40 } as const;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The center of each state: the usual way in the first row, what is not paid at the left. */
const centers: Readonly<Record<PaidCallState, Point>> = {
  claimed: { x: 90, y: 60 },
  settling: { x: 280, y: 60 },
  settled: { x: 470, y: 60 },
  delivered: { x: 670, y: 60 },
  refused: { x: 90, y: 290 },
  unknown: { x: 280, y: 290 },
  needs_attention: { x: 470, y: 165 },
  kept: { x: 670, y: 165 },
  refunded: { x: 810, y: 265 },
};

/** A call begins in one of these states. */
const firstStates: readonly PaidCallState[] = ['claimed', 'settling'];

/** Where an arrow bends that would otherwise cross a box. */
const bends: Readonly<Partial<Record<`${PaidCallState} ${PaidCallState}`, Point>>> = {
  'delivered unknown': { x: 555, y: 215 },
  'kept unknown': { x: 560, y: 280 },
  'needs_attention unknown': { x: 420, y: 240 },
  'needs_attention refunded': { x: 560, y: 262 },
  'delivered refunded': { x: 800, y: 80 },
};

/** How far the two arrows between the same states are apart. */
const apart = 12;

export type ArrowKind = 'usual' | 'removed' | 'refund' | 'other';

export interface Arrow {
  readonly from: PaidCallState | null;
  readonly to: PaidCallState;
  /** SVG path data. */
  readonly path: string;
  readonly kind: ArrowKind;
}

/** What each kind of arrow means, and where that is written below the states. */
export const legend: readonly { readonly kind: ArrowKind; readonly meaning: string; readonly x: number }[] = [
  { kind: 'usual', meaning: 'the usual way', x: 30 },
  { kind: 'other', meaning: 'other moves', x: 220 },
  { kind: 'removed', meaning: 'the block of the payment was removed', x: 400 },
  { kind: 'refund', meaning: 'refunded', x: 740 },
];

export interface StateBox extends Point {
  readonly state: PaidCallState;
  readonly label: string;
}

export const boxes: readonly StateBox[] = Object.entries(centers).map(([state, center]) => ({
  state: state as PaidCallState,
  label: state.replace('_', ' '),
  ...center,
}));

/** An arrow for each legal move, and one for each way to begin. */
export const arrows: readonly Arrow[] = [
  ...firstStates.map((to): Arrow => {
    const { x, y } = centers[to];
    return { from: null, to, path: `M${x} 8V${y - box.height / 2}`, kind: 'usual' };
  }),
  ...boxes.flatMap(({ state: from }) =>
    legalMoves[from].map((to): Arrow => ({ from, to, path: pathOf(from, to), kind: kindOf(from, to) })),
  ),
];

function kindOf(from: PaidCallState, to: PaidCallState): ArrowKind {
  if (to === 'refunded') return 'refund';
  // An outcome that was known is not known any more: its block was removed.
  if (to === 'unknown' && from !== 'settling') return 'removed';
  const usual = ['claimed settling', 'settling settled', 'settled delivered'];
  return usual.includes(`${from} ${to}`) ? 'usual' : 'other';
}

function pathOf(from: PaidCallState, to: PaidCallState): string {
  const [start, end] = [centers[from], centers[to]];
  const bend = bends[`${from} ${to}`];
  if (bend) {
    const [first, last] = [edgeOf(start, bend), edgeOf(end, bend)];
    return `M${pair(first)}Q${pair(bend)} ${pair(last)}`;
  }
  const shift = legalMoves[to].includes(from) ? beside(start, end) : { x: 0, y: 0 };
  const [first, last] = [moved(edgeOf(start, end), shift), moved(edgeOf(end, start), shift)];
  return `M${pair(first)}L${pair(last)}`;
}

/** Where the line from the center of a box to another point leaves the box. */
function edgeOf(center: Point, other: Point): Point {
  const [dx, dy] = [other.x - center.x, other.y - center.y];
  const scale = Math.min(box.width / 2 / Math.abs(dx || 1), box.height / 2 / Math.abs(dy || 1));
  return { x: center.x + dx * scale, y: center.y + dy * scale };
}

/** To the right of the way from one point to another. */
function beside(start: Point, end: Point): Point {
  const length = Math.hypot(end.x - start.x, end.y - start.y);
  return {
    x: ((start.y - end.y) / length) * (apart / 2),
    y: ((end.x - start.x) / length) * (apart / 2),
  };
}

function moved(point: Point, by: Point): Point {
  return { x: point.x + by.x, y: point.y + by.y };
}

function pair({ x, y }: Point): string {
  return `${Math.round(x)} ${Math.round(y)}`;
}
