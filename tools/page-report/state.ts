import type { Page } from '@playwright/test';

/** A page in one of its states, as a person sees it. */
export interface PageState {
  /** The part of the product that it belongs to, such as `forms`. */
  readonly area: string;
  /** The name for its pictures. */
  readonly name: string;
  /** The URL of the page. */
  readonly url: string;
  /** Leads from the opened page to the state. Without it, the state is the page as it opens. */
  readonly lead?: (page: Page) => Promise<unknown>;
  /** Runs before the page is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** The cookie that it is opened with, such as `operator=…`. */
  readonly cookie?: string;
  readonly locale?: string;
  /** Why it needs a script, and what remains without one. Everything else must work without scripts. */
  readonly needsScript?: string;
  /** Whether its content security policy is a sandbox, which must be lifted before anything can be measured. */
  readonly isSandboxed?: boolean;
  /** Whether search engines are told to leave it out. */
  readonly isUnlisted?: boolean;
  /** Whether Lighthouse measures it: once per page, and not for error pages, which it does not rate. */
  readonly isRated?: boolean;
}

/** Makes an area's states for one width, because some states can be made only once. */
export type StatesOf = (world: World) => Promise<readonly PageState[]>;

/** What runs while the report is made. */
export interface World {
  readonly apiUrl: string;
  readonly filesUrl: string;
  /** The console over a ledger with calls in every state. */
  readonly console: { readonly apiUrl: string; readonly pages: readonly (readonly [string, string])[] };
}
