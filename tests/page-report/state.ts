import type { Page } from '@playwright/test';

/** A page in one of its states, as a person sees it. */
export interface PageState {
  /** `forms`, for example: the part of the product that it belongs to. */
  readonly area: string;
  /** The name of its pictures. */
  readonly name: string;
  /** Where the page is. */
  readonly url: string;
  /** What leads from the open page to the state. Without it, the state is the page as it opens. */
  readonly lead?: (page: Page) => Promise<unknown>;
  /** What has to be done before the page is opened. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** The cookie with which it is opened, such as `operator=…`. */
  readonly cookie?: string;
  readonly locale?: string;
  /** Why it needs a script, and what stays when there is none. Everything else has to work without one. */
  readonly needsScript?: string;
  /** Whether its content policy is a sandbox, in which nothing can be measured unless it is lifted. */
  readonly isSandboxed?: boolean;
  /** Whether search engines are told to leave it out. */
  readonly isUnlisted?: boolean;
  /** Whether Lighthouse measures it: once for each page, and not for errors, which it does not rate. */
  readonly isRated?: boolean;
}

/** Makes the states of an area for one width: some can be made only once. */
export type StatesOf = (world: World) => Promise<readonly PageState[]>;

/** What runs while the report is made. */
export interface World {
  readonly apiUrl: string;
  readonly filesUrl: string;
  /** The console over a ledger with calls in every state. */
  readonly console: { readonly apiUrl: string; readonly pages: readonly (readonly [string, string])[] };
}
