import { stack } from './stack';

/** One line of `GET /metrics`. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The parsed response of `GET /metrics`. */
export interface Scrape {
  /** The kind of each metric by its name, such as `counter`. */
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly Sample[];
}

/** Requests the metrics of a server, as the operator. */
export function askMetrics(
  origin = stack().apiUrl,
  authorization: string | null = `Bearer ${stack().serverEnv.OPERATOR_TOKEN}`,
): Promise<Response> {
  return fetch(`${origin}/metrics`, { headers: authorization === null ? {} : { authorization } });
}

/** Reads the metrics of a server. */
export async function scrape(origin?: string): Promise<Scrape> {
  const response = await askMetrics(origin);
  if (response.status !== 200) throw new Error(`GET /metrics: ${response.status}`);
  return parseMetrics(await response.text());
}

/** The sum of the samples with this name and these labels; 0 when there are none. */
export function sumOf(
  { samples }: Scrape,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** Parses Prometheus's text format; throws on an invalid line. */
function parseMetrics(text: string): Scrape {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const type = /^# TYPE (\w+) (counter|gauge|histogram|summary)$/.exec(line);
    if (type) {
      const [, name = '', kind = ''] = type;
      if (types.has(name)) throw new Error(`${name} is declared twice`);
      types.set(name, kind);
    } else if (!/^# HELP \w+ \S/.test(line)) samples.push(parseSample(line));
  }
  return { types, samples };
}

function parseSample(line: string): Sample {
  const parts = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line);
  const [, name = '', labels = '', value = ''] = parts ?? [];
  const number = value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
  if (!parts || Number.isNaN(number)) throw new Error(`not a sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', text = '']) => [
    label,
    text,
  ]);
  return { name, labels: Object.fromEntries(pairs), value: number };
}
