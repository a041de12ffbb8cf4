import { z } from 'zod';

/** Parts of the work that a process can do. */
export const ROLES = ['gateway', 'worker', 'web', 'service'] as const;
export type Role = (typeof ROLES)[number];

const EVERY = 'all';

const isRole = (word: string): word is Role => (ROLES as readonly string[]).includes(word);

/** `ROLES`: `all`, or some of them with commas between. */
export const roles = z
  .string()
  .default(EVERY)
  .transform((typed, ctx): ReadonlySet<Role> => {
    const words = typed.split(',').map((word) => word.trim());
    if (words.length === 1 && words[0] === EVERY) return new Set(ROLES);
    const known = words.filter(isRole);
    if (known.length === words.length) return new Set(known);
    ctx.addIssue(`must be ${EVERY}, or some of ${ROLES.join(', ')}, separated by commas`);
    return z.NEVER;
  });

export const hasAll = (given: ReadonlySet<Role>): boolean => given.size === ROLES.length;

/** True for a process that only serves speech, translation and chat to others. */
export const isServiceAlone = (given: ReadonlySet<Role>): boolean =>
  given.size === 1 && given.has('service');
