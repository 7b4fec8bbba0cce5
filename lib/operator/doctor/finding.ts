/** `skipped` means that nothing could be determined, or that there is nothing to check. */
export type FindingStatus = 'ok' | 'warning' | 'failed' | 'skipped';

/** What one check found out about an installation. It holds no secrets. */
export interface Finding {
  /** What was checked: a setting, or a part such as `database` or `base`. */
  readonly about: string;
  readonly status: FindingStatus;
  readonly message: string;
  /** What the operator can do about it. Set for warnings and failures. */
  readonly advice?: string;
}

export const ok = (about: string, message: string): Finding => ({ about, status: 'ok', message });

export const skipped = (about: string, message: string): Finding => ({ about, status: 'skipped', message });

export const warning = (about: string, message: string, advice: string): Finding => ({
  about,
  status: 'warning',
  message,
  advice,
});

export const failed = (about: string, message: string, advice: string): Finding => ({
  about,
  status: 'failed',
  message,
  advice,
});
