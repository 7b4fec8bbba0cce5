/** @type {import('next').NextConfig} */
export default {
  // Loaded as it is, because what it depends on has native code.
  serverExternalPackages: ['tuppence-paywall'],
};
