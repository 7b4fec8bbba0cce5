import type { Allowance } from '@/lib/db/attempts';

/** A school or an office is one address; a form takes a hundred responses in all. */
export const allowances = {
  addressAtForm: { attempts: 60, minutes: 10 },
  address: { attempts: 300, minutes: 10 },
  form: { attempts: 600, minutes: 1 },
  reportsOfAddress: { attempts: 10, minutes: 60 },
} as const satisfies Record<string, Allowance>;
