import type { z } from 'zod';
import { type Issue, issuesMax } from './api-error';

/**
 * Describes failed rules in our own words: which field and which rule. It never repeats the input. Of a value of the wrong
 * type, only the type is told: the library also compares the length of a text with that of the list that was expected.
 */
export function issuesOf(
  failures: readonly z.core.$ZodIssue[],
  tell: (issue: z.core.$ZodIssue) => Issue[] = toIssues,
): Issue[] {
  const ofWrongType = new Set(
    failures.filter(({ code }) => code === 'invalid_type').map(({ path }) => JSON.stringify(path)),
  );
  return failures
    .filter(({ code, path }) => code === 'invalid_type' || !ofWrongType.has(JSON.stringify(path)))
    .flatMap((issue) => tell(issue));
}

/** Longer or stranger names are not repeated: the caller has made them up. */
const plainName = /^[A-Za-z0-9_.-]{1,64}$/;

/** The path to a field, up to the first name that is not repeated. */
function pathOf(path: readonly PropertyKey[]): string {
  const names = path.map(String);
  const end = names.findIndex((name) => !plainName.test(name));
  return names.slice(0, end === -1 ? undefined : end).join('.');
}

function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = pathOf(issue.path) || 'body';
  if (issue.code === 'unrecognized_keys') {
    // A hostile body can have hundreds of thousands of unknown fields.
    return issue.keys.slice(0, issuesMax).map((key) => ({
      path: plainName.test(key) ? pathOf([...issue.path, key]) : path,
      rule: 'is not a known field',
    }));
  }
  return [{ path, rule: ruleOf(issue) }];
}

/** The same without the names of unknown fields, which the caller has made up: the position of each says which it is. */
export function toSilentIssues(issue: z.core.$ZodIssue, body: unknown): Issue[] {
  if (issue.code !== 'unrecognized_keys') return toIssues(issue);
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  return issue.keys
    .slice(0, issuesMax)
    .map((key) => ({ path: 'body', rule: `must not have its field number ${names.indexOf(key) + 1}` }));
}

function ruleOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined')
        ? 'is required'
        : (typeRules[issue.expected] ?? 'is not valid');
    case 'too_big':
      return boundRule(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'too_small':
      return boundRule(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of: ' : ''}${issue.values.join(', ')}`;
    case 'invalid_format':
      // The library's own messages begin with "Invalid "; a message from the catalog is used as it is.
      if (!issue.message.startsWith('Invalid ')) return issue.message;
      if (issue.format === 'datetime')
        return 'must be a date and time with a time zone, such as 2026-12-24T12:00:00Z';
      return issue.pattern ? `must match ${issue.pattern}` : `must be a valid ${issue.format}`;
    case 'custom':
      return issue.message;
    default:
      return 'is not valid';
  }
}

const typeRules: Readonly<Record<string, string>> = {
  string: 'must be a string',
  number: 'must be a number',
  int: 'must be an integer',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
};

const units: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

function boundRule(origin: string, relation: string, bound: number | bigint): string {
  const unit = units[origin];
  if (!unit) return `must be ${relation} ${bound}`;
  if (relation === 'at least' && bound === 1) return 'must not be empty';
  return `must have ${relation} ${bound} ${unit}${bound === 1 ? '' : 's'}`;
}
