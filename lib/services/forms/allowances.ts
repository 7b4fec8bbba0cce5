import type { Allowance } from '@/lib/platform/database/attempts';

/** A school or an office may share one address, and a form takes a hundred responses in total. */
export const allowances = {
  addressAtForm: { attempts: 60, minutes: 10 },
  address: { attempts: 300, minutes: 10 },
  form: { attempts: 600, minutes: 1 },
} as const satisfies Record<string, Allowance>;
