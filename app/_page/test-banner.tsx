import type { ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import { testNotice } from '@/lib/catalog/test-service';

/** Stands first on every page of a service that takes test USDC; nothing elsewhere. */
export function TestBanner(): ReactNode {
  if (currentApp().settings.NETWORKS !== 'test') return null;
  return (
    <aside className="test-banner" aria-label="Test service" lang="en" dir="ltr">
      <p>{testNotice}</p>
    </aside>
  );
}
