import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';
import type { WithDatabase } from './database';

interface InstallationDeps extends Pick<WithDatabase, 'db'> {
  readonly settings: Pick<Settings, 'NETWORKS'>;
}

/**
 * Binds the database to main or test networks at its first start, so that test money can never buy what real money pays for.
 * @throws Error when the database is bound to the other kind
 */
export async function claimInstallation({
  db,
  settings,
  clock,
}: InstallationDeps & Pick<Platform, 'clock'>): Promise<void> {
  await db.$executeRaw`
    INSERT INTO installation (networks, created_at) VALUES (${settings.NETWORKS}, ${clock.date()})
    ON CONFLICT DO NOTHING`;
  await requireSameNetworks({ db, settings });
}

/** @throws Error when the database is bound to other networks than those of NETWORKS */
export async function requireSameNetworks({ db, settings }: InstallationDeps): Promise<void> {
  const found = await db.installation.findFirst({ select: { networks: true } });
  if (!found || found.networks === settings.NETWORKS) return;
  throw new Error(
    `This database belongs to ${found.networks} networks, and NETWORKS is ${settings.NETWORKS}. Set NETWORKS=${found.networks}, or point DATABASE_URL at another database.`,
  );
}
