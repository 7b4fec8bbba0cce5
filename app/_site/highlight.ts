import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import ini from 'highlight.js/lib/languages/ini';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';

const languages = { bash, http, ini, javascript, json, python, sql, typescript, yaml };
for (const [name, grammar] of Object.entries(languages)) hljs.registerLanguage(name, grammar);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Highlights code on the server. The markup has classes and no styles, which the content policy would block; highlight.css
 * has their colors.
 * @param language its name or an alias, such as `ts` or `sh`; text in others is only escaped
 * @returns HTML
 */
export function highlight(text: string, language = ''): string {
  if (!hljs.getLanguage(language)) return text.replaceAll(/[&<>]/g, (character) => entities[character] ?? '');
  return hljs.highlight(text, { language, ignoreIllegals: true }).value;
}
