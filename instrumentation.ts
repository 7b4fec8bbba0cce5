import { hasCurrentApp } from '@/lib/app/current';

/**
 * Called by the framework when it starts a server. Where somebody else started it (`next start`, a serverless host), this
 * starts the app that our own server would have started.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs' || hasCurrentApp()) return;
  const { startUnderFramework } = await import('@/app/_routes/start-under-framework');
  await startUnderFramework(process.env);
}
