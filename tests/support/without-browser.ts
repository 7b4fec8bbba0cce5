/**
 * `test` and `expect` for tests that use no page or browser fixture. Those of `@playwright/test` set up and tear down the
 * recording of pages for every test, which costs three milliseconds of CPU time: more than most tests here.
 */
export { _baseTest as test, expect } from '@playwright/test';
