import type { TextItem } from './pdf-lines';
import type { Mark } from './pdf-tags';

/** What is read of an annotation, as pdf.js reports it: a form's field, or text that somebody typed onto the page. */
export interface Annotation {
  readonly subtype?: string;
  readonly annotationFlags?: number;
  readonly rect?: readonly number[];
  readonly fieldType?: string | null;
  readonly fieldName?: string;
  readonly fieldValue?: unknown;
  readonly alternativeText?: string;
  readonly password?: boolean;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly exportValue?: string;
  readonly buttonValue?: string | null;
  readonly options?: readonly { readonly exportValue?: unknown; readonly displayValue?: unknown }[];
  readonly contentsObj?: { readonly str?: string };
}

/** What a field of a form shows. */
interface Field {
  readonly text: string;
  /** Whether it is a box with a mark, after which its label stands. */
  readonly isMark: boolean;
  /** What it is called, for a field without a label beside it. */
  readonly name: string;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

type Item = TextItem | Mark;

const valueLengthMax = 10_000;
const hiddenFlags = 2 | 32;

/** The fields of a page that show something. */
export function fieldsOf(annotations: readonly Annotation[]): readonly Field[] {
  return annotations.flatMap(fieldOf);
}

/**
 * The text of a page with the values of its form's fields, which are no part of the page's own text: each after its label, or, for boxes with
 * a mark, before it. Fields without a label are returned apart, as texts with their names.
 */
export function withFields(items: readonly Item[], fields: readonly Field[]) {
  const places = new Map<number, { readonly marks: Field[]; readonly values: Field[] }>();
  const alone: TextItem[] = [];
  const inOrder = [...fields].sort((one, other) => other.bottom - one.bottom || one.left - other.left);
  for (const field of inOrder) {
    const label = labelOf(field, items);
    if (label !== null) {
      const place = places.get(label.at) ?? { marks: [], values: [] };
      places.set(label.at, place);
      (label.isAfter ? place.marks : place.values).push(field);
    } else if (!field.isMark) alone.push({ ...asItem(field, null), hasEOL: true });
  }
  const withValues = items.flatMap((item, at): readonly Item[] => {
    const place = places.get(at);
    if (!place || !('str' in item)) return [item];
    return [
      ...place.marks.map((mark) => asItem(mark, item)),
      { ...item, hasEOL: false },
      ...place.values.map((value) => asItem(value, item)),
      { ...item, str: '', width: 0 },
    ];
  });
  return { items: withValues, alone };
}

/** What a field shows; nothing for buttons, signatures, passwords, hidden fields and empty ones. */
function fieldOf(annotation: Annotation): readonly Field[] {
  const { subtype, annotationFlags = 0, rect, fieldType, checkBox, radioButton } = annotation;
  const [left = 0, bottom = 0, right = 0, top = 0] = rect ?? [];
  if (rect?.length !== 4 || (annotationFlags & hiddenFlags) !== 0 || annotation.password) return [];
  const place = {
    left,
    bottom,
    right,
    top,
    name: lineOf(annotation.alternativeText || annotation.fieldName),
  };
  if (checkBox || radioButton) {
    const on = checkBox ? annotation.exportValue : annotation.buttonValue;
    const isOn = typeof on === 'string' && on !== 'Off' && annotation.fieldValue === on;
    return [{ ...place, text: isOn ? '☑' : '☐', isMark: true }];
  }
  const isText =
    subtype === 'FreeText' || (subtype === 'Widget' && (fieldType === 'Tx' || fieldType === 'Ch'));
  const text = isText ? shownText(annotation) : '';
  return text === '' ? [] : [{ ...place, text, isMark: false }];
}

/** The text of a field; of a choice, the chosen options as they are shown. */
function shownText({ subtype, fieldValue, options = [], contentsObj }: Annotation): string {
  if (subtype === 'FreeText') return lineOf(contentsObj?.str);
  const values: readonly unknown[] = Array.isArray(fieldValue) ? fieldValue : [fieldValue];
  const shown = values.map((value) => {
    const option = options.find(({ exportValue }) => exportValue === value);
    return lineOf(option?.displayValue ?? value);
  });
  return shown.filter((one) => one !== '').join(', ');
}

function lineOf(text: unknown): string {
  return typeof text === 'string' ? text.slice(0, valueLengthMax).replace(/\s+/g, ' ').trim() : '';
}

/**
 * The text beside a field: in the same row, before it, or after it for a box with a mark; otherwise the text above it.
 * @returns its place in the list, and whether it stands after the field
 */
function labelOf(field: Field, items: readonly Item[]): { at: number; isAfter: boolean } | null {
  const height = field.top - field.bottom;
  let [row, other, above] = [-1, -1, -1];
  let [gapOfRow, gapOfOther] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let gapAbove = Math.min(24, 1.5 * height);
  for (const [at, item] of items.entries()) {
    if (!('str' in item) || item.str.trim() === '') continue;
    const [, , , , x = 0, y = 0] = item.transform;
    const size = sizeOf(item);
    const isInRow = y + size / 2 > field.bottom && y + size / 3 < field.top;
    const isBefore = x < field.left;
    const gap = Math.abs(isBefore ? field.left - x - item.width : x - field.right);
    if (isInRow && isBefore !== field.isMark && gap < gapOfRow) [row, gapOfRow] = [at, gap];
    else if (isInRow && isBefore === field.isMark && gap < gapOfOther) [other, gapOfOther] = [at, gap];
    const isAbove = y >= field.top - size / 2 && x < field.right && x + item.width > field.left;
    // The last part of a line comes last.
    if (isAbove && y - field.top <= gapAbove) [above, gapAbove] = [at, y - field.top];
  }
  if (field.isMark) {
    if (row >= 0) return { at: row, isAfter: true };
    return other >= 0 ? { at: other, isAfter: false } : null;
  }
  // Text far away in the same row may belong to another column.
  if (row >= 0 && (above < 0 || gapOfRow < 2 * height)) return { at: row, isAfter: false };
  return above >= 0 ? { at: above, isAfter: false } : null;
}

const sizeOf = ({ transform: [, , c = 0, d = 0] }: TextItem) => Math.hypot(c, d);

/** A field as text of the size of its label, in its line. */
function asItem({ text, name, isMark, left, right, bottom, top }: Field, label: TextItem | null): TextItem {
  const size = label ? sizeOf(label) : Math.min(8, top - bottom);
  const y = label?.transform[5] ?? bottom;
  const named = label || name === '' ? text : `${name}: ${text}`;
  const width = isMark ? 0 : right - left;
  return { str: ` ${named} `, transform: [size, 0, 0, size, left, y], width, hasEOL: false, isField: true };
}
