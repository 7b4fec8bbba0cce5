import { z } from 'zod';

/** Imported before anything that reads input: the content security policy forbids the code that zod would compile. */
z.config({ jitless: true });
