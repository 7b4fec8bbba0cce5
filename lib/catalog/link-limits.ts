/** What one public link may be used for on one day (UTC), as the operator has set it. Null means no limit. */
export interface LinkLimits {
  readonly downloads: number | null;
  readonly bytes: number | null;
}

const bytesPerGib = 1_073_741_824;

/** @param settings LINK_DOWNLOADS_PER_DAY and LINK_GIB_PER_DAY, where 0 means no limit */
export function linkLimitsOf(settings: {
  readonly LINK_DOWNLOADS_PER_DAY: number;
  readonly LINK_GIB_PER_DAY: number;
}): LinkLimits {
  const { LINK_DOWNLOADS_PER_DAY: downloads, LINK_GIB_PER_DAY: gib } = settings;
  return {
    downloads: downloads === 0 ? null : downloads,
    bytes: gib === 0 ? null : Math.max(1, Math.round(gib * bytesPerGib)),
  };
}

/** The limits in a sentence; null when there are none. */
export function describeLinkLimits({ downloads, bytes }: LinkLimits): string | null {
  const parts = [
    ...(downloads === null ? [] : [`downloaded ${downloads.toLocaleString('en-US')} times`]),
    ...(bytes === null ? [] : [`used for ${Number((bytes / bytesPerGib).toPrecision(3))} GiB`]),
  ];
  return parts.length === 0 ? null : `The public link can be ${parts.join(' and ')} a day (UTC).`;
}
