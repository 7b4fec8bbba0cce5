import { Stopped } from '@/app/_wallets/stopped';
import { tryIds as ids } from '../../reference/try/state';

/** Keeps the fields of a body and its JSON alike: what is edited last fills the other. */

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function connectBodyFields(form: HTMLFormElement, showProblem: (stopped: Stopped) => void): void {
  const fields = form.querySelector<HTMLElement>(`#${ids.fields}`);
  const json = form.querySelector<HTMLElement>(`#${ids.bodyField}`);
  const asJson = form.querySelector<HTMLInputElement>(`#${ids.asJson}`);
  const body = form.querySelector<HTMLTextAreaElement>(`#${ids.body}`);
  if (!fields || !json || !asJson || !body) return;
  const controls = [...fields.querySelectorAll<Control>('[data-field]')];
  asJson.addEventListener('change', () => {
    if (asJson.checked) body.value = JSON.stringify(valuesOf(controls), null, 2);
    else if (!fill(controls, parsed(body.value))) {
      asJson.checked = true;
      showProblem(
        new Stopped('The body must be valid JSON with fields of this call.', 'It cannot be shown as fields'),
      );
      return;
    }
    fields.hidden = asJson.checked;
    json.hidden = !asJson.checked;
  });
}

/**
 * The body that a form describes.
 * @throws Stopped if a field or the whole is not JSON
 */
export function readBody(form: HTMLFormElement): string {
  const fields = form.querySelector<HTMLElement>(`#${ids.fields}`);
  if (fields && !fields.hidden) {
    const controls = [...fields.querySelectorAll<Control>('[data-field]')];
    const missing = controls.find((control) => control.required && control.value.trim() === '');
    const wrong = controls.find((control) => control.value.trim() !== '' && readValue(control) === undefined);
    for (const control of controls) control.ariaInvalid = String(control === (missing ?? wrong));
    if (missing) throw new Stopped(`Enter ${missing.dataset.field}. It is required.`, 'Nothing was sent');
    if (wrong) throw new Stopped(`${wrong.dataset.field} must be valid JSON.`, 'Nothing was sent');
    return JSON.stringify(valuesOf(controls));
  }
  const text = form.querySelector<HTMLTextAreaElement>(`#${ids.body}`)?.value ?? '';
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    throw new Stopped(
      'The body is not valid JSON. Check the quotes, commas and brackets near the end.',
      'Nothing was sent',
    );
  }
}

/** What was filled in. Fields that are empty, or not JSON, are left out. */
function valuesOf(controls: readonly Control[]): Record<string, unknown> {
  const filled = controls.filter(({ value }) => value.trim() !== '');
  return Object.fromEntries(filled.map((control) => [control.dataset.field, readValue(control)]));
}

/** @returns undefined for text that is not JSON where JSON is wanted */
function readValue({ dataset, value }: Control): unknown {
  if (dataset.kind === 'text') return value;
  // The service says what is wrong with a number.
  if (dataset.kind === 'number') return Number.isNaN(Number(value)) ? value : Number(value);
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** @returns whether the fields can show these values */
function fill(controls: readonly Control[], values: Readonly<Record<string, unknown>> | null): boolean {
  const names = new Set(controls.map(({ dataset }) => dataset.field));
  if (values === null || Object.keys(values).some((name) => !names.has(name))) return false;
  for (const control of controls) control.value = textOf(values[control.dataset.field ?? ''], control);
  return true;
}

function textOf(value: unknown, { dataset }: Control): string {
  if (value === undefined) return '';
  return typeof value === 'string' && dataset.kind !== 'json' ? value : JSON.stringify(value, null, 2);
}
