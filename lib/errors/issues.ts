import type { z } from 'zod';
import { type Issue, issuesMax } from './api-error';

/** A failed rule in our words: which field, which rule; never what was sent. */
export function toIssues(issue: z.core.$ZodIssue): Issue[] {
  const path = issue.path.map(String).join('.') || 'body';
  if (issue.code === 'unrecognized_keys') {
    // A hostile body has hundreds of thousands.
    return issue.keys.slice(0, issuesMax).map((key) => ({
      path: /^[A-Za-z0-9_.-]{1,64}$/.test(key) ? [...issue.path, key].join('.') : path,
      rule: 'no such field',
    }));
  }
  return [{ path, rule: ruleOf(issue) }];
}

function ruleOf(issue: z.core.$ZodIssue): string {
  const unit = (origin: string) => (origin === 'string' ? ' characters' : origin === 'array' ? ' items' : '');
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.endsWith('received undefined') ? 'required' : `must be of type ${issue.expected}`;
    case 'too_big':
      return `at most ${issue.maximum}${unit(issue.origin)}`;
    case 'too_small':
      return `at least ${issue.minimum}${unit(issue.origin)}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.join(', ')}`;
    case 'invalid_format':
      // A rule that the catalog puts into words is told in them; the library's own words begin like this.
      if (!issue.message.startsWith('Invalid ')) return issue.message;
      return issue.pattern ? `must match ${issue.pattern}` : `must be a valid ${issue.format}`;
    case 'custom':
      return issue.message;
    default:
      return issue.code.replaceAll('_', ' ');
  }
}
