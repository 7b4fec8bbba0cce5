import { type PageText, pageTextForReader } from '@/lib/services/forms/words';
import words from './words.json' with { type: 'json' };

/** The text of the pages where people report a file, in one language. What they share with forms is in `shared`. */
export interface ReportText {
  readonly own: (typeof words)['en'];
  readonly shared: PageText['words'];
  readonly language: string;
}

const known: Readonly<Record<string, ReportText['own'] | undefined>> = words;

/** The text for the reader's `Accept-Language`; English if there is no translation. */
export function reportTextFor(acceptLanguage: string): ReportText {
  const { words: shared, language } = pageTextForReader(acceptLanguage);
  const own = known[language];
  return own ? { own, shared, language } : reportTextFor('en');
}
