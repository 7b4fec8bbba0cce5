import type { ReactNode } from 'react';
import { arrows, box, boxes, legend, size } from './layout';

interface StateDiagramProps {
  readonly title: string;
  /** For a drawing in a file of its own: the page around it styles one that is part of it. */
  readonly style?: string;
}

/** The states of a paid call, and an arrow for each legal move. */
export function StateDiagram({ title, style }: StateDiagramProps): ReactNode {
  const { width, height } = size;
  return (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox={`0 0 ${width} ${height}`}
      {...(style === undefined ? {} : { width, height })}
      className="states"
      role="img"
      aria-label={title}
    >
      {style === undefined ? null : <style>{style}</style>}
      {style === undefined ? null : <rect className="paper" width={width} height={height} />}
      <defs>
        <marker
          id="states-arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerUnits="userSpaceOnUse"
          markerWidth="11"
          markerHeight="11"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8Z" />
        </marker>
      </defs>
      {arrows.map(({ from, to, path, kind }) => (
        <path
          key={`${from} ${to}`}
          className={kind}
          d={path}
          data-move={`${from ?? 'new'} ${to}`}
          markerEnd="url(#states-arrow)"
        />
      ))}
      {boxes.map(({ state, label, x, y }) => (
        <g key={state} data-state={state}>
          <rect
            x={x - box.width / 2}
            y={y - box.height / 2}
            width={box.width}
            height={box.height}
            rx={box.height / 2}
          />
          <text x={x} y={y} textAnchor="middle" dominantBaseline="central">
            {label}
          </text>
        </g>
      ))}
      {legend.map(({ kind, meaning, x }) => (
        <g key={kind}>
          <path className={kind} d={`M${x} ${height - 18}h32`} />
          <text x={x + 42} y={height - 18} dominantBaseline="central">
            {meaning}
          </text>
        </g>
      ))}
    </svg>
  );
}
