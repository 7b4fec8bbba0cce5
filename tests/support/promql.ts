import { parser } from '@prometheus-io/lezer-promql';

/** A metric that an expression reads, such as `up{job=~"a|b"}`. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  /** The labels by which the aggregations around it group. */
  readonly groupedBy: readonly string[];
}

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** Parses a PromQL expression and lists the metrics that it reads; throws on a syntax error. */
export function selectorsOf(expression: string): Selector[] {
  const selectors: Selector[] = [];
  // The labels of the enclosing aggregations.
  const groupings: string[][] = [];
  parser.parse(expression).iterate({
    enter(node) {
      const text = expression.slice(node.from, node.to);
      if (node.type.isError) throw new Error(`${expression}\nis wrong at ${node.from}: ${text}`);
      if (node.name === 'AggregateExpr') groupings.push([]);
      const { parent } = node.node;
      if (node.name === 'LabelName' && parent?.name === 'GroupingLabels') groupings.at(-1)?.push(text);
      if (node.name === 'VectorSelector') {
        const metric = /^\w+/.exec(text)?.[0] ?? '';
        const matchers = [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
          ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
        );
        selectors.push({ metric, matchers, groupedBy: groupings.flat() });
      }
    },
    leave(node) {
      if (node.name === 'AggregateExpr') groupings.pop();
    },
  });
  if (selectors.length === 0) throw new Error(`${expression} reads no metric`);
  return selectors;
}

/** Whether the matchers select a sample with these labels. */
export function matches(labels: Readonly<Record<string, string>>, matchers: readonly Matcher[]): boolean {
  return matchers.every(({ label, operator, value }) => {
    const given = labels[label] ?? '';
    const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(given) : given === value;
    return operator.startsWith('!') ? !isEqual : isEqual;
  });
}
