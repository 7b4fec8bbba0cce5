/** Reads the signatures of llms.txt, as its notes say that they are written. */

export type SignatureType =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'union'; readonly types: readonly SignatureType[] }
  | { readonly kind: 'list'; readonly of: SignatureType }
  | { readonly kind: 'object'; readonly fields: readonly SignatureField[] }
  | { readonly kind: 'int'; readonly range?: readonly [number, number] }
  | { readonly kind: 'simple'; readonly name: string; readonly like?: string };

interface SignatureField {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: SignatureType;
}

/** @param shared the texts of names such as `Contents` */
export function parseSignature(text: string, shared: Readonly<Record<string, string>>): SignatureType {
  let rest = text;
  const take = (pattern: RegExp): string | undefined => {
    const [found] = new RegExp(`^(?:${pattern.source})`).exec(rest) ?? [];
    if (found !== undefined) rest = rest.slice(found.length);
    return found;
  };
  const need = (pattern: RegExp): string => {
    const found = take(pattern);
    if (found === undefined) throw new Error(`${pattern} is missing before ${rest}`);
    return found;
  };
  const json = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|\[[^\]]*\]/;

  const one = (): SignatureType => {
    if (take(/\[/)) {
      const of = type();
      need(/\]/);
      return { kind: 'list', of };
    }
    if (take(/\{/)) return { kind: 'object', fields: fields() };
    const literal = take(/"(?:[^"\\]|\\.)*"/);
    if (literal !== undefined) return { kind: 'literal', value: JSON.parse(literal) };
    const name = need(/[A-Za-z]+/);
    if (/^[A-Z]/.test(name)) return parseSignature(shared[name] ?? '', shared);
    if (name === 'int') {
      const range = take(/ -?\d+\.\.-?\d+/)
        ?.trim()
        .split('..')
        .map(Number);
      return { kind: 'int', range: range as [number, number] | undefined };
    }
    const like = take(/ like "(?:[^"\\]|\\.)*"/);
    return { kind: 'simple', name, like: like === undefined ? undefined : JSON.parse(like.slice(6)) };
  };

  const type = (): SignatureType => {
    const types = [one()];
    while (take(/\|/)) types.push(one());
    const [only] = types;
    return types.length === 1 && only ? only : { kind: 'union', types };
  };

  const fields = (): SignatureField[] => {
    const found: SignatureField[] = [];
    while (!take(/\}/)) {
      const name = need(/\w+/);
      const isOptional = take(/\?/) !== undefined;
      need(/:/);
      found.push({ name, isOptional, type: type() });
      if (take(/=/)) need(json);
      take(/, /);
    }
    return found;
  };

  const whole = type();
  if (rest !== '') throw new Error(`${rest} is left over`);
  return whole;
}
