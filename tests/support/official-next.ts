// For the bench, whose own folder has no packages: the official wrapper for Next.js, of tests/package.json.
export { withX402, x402ResourceServer } from '@x402/next';
