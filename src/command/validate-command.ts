import { z } from 'zod';
import { PLATFORM_PARTS, TOPICS } from '../model/command-info.ts';
import type { Command } from './command.ts';

const action = z.looseObject({
  run: z.function(),
  options: z.instanceof(z.ZodObject).optional(),
});

const press = z.looseObject({
  run: z.function(),
  panel: z.function().optional(),
});

const command = z.looseObject({
  name: z.string().regex(/^[a-z]{1,32}$/, 'must be 1 to 32 small letters'),
  actions: z
    .record(z.string().regex(/^[a-z]{0,32}$/), action)
    .refine((actions) => Object.keys(actions).length > 0, 'must not be empty'),
  presses: z.record(z.string().regex(/^[a-z]{1,32}$/), press).optional(),
  needs: z.enum(PLATFORM_PARTS).optional(),
  topic: z.enum(TOPICS).optional(),
});

/**
 * Says what is wrong with the default export of `commands/<fileName>.ts`; undefined for a good
 * command.
 */
export const commandFault = (value: unknown, fileName: string): string | undefined => {
  const parsed = command.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `its default export is no command (${issue?.path.join('.') || 'value'}: ${issue?.message})`;
  }
  const { name } = value as Command;
  return name === fileName ? undefined : `its command is named ${name}, not as the file`;
};
