import { z } from 'zod';
import type { OperatorLimits } from '../usage/limits.ts';
import { serviceKey } from '../api/keys.ts';
import { realtimeUses } from '../api/realtime/index.ts';
import { httpUrl } from '../config.ts';
import { logLevel } from '../telemetry/log.ts';
import { hasAll, isServiceAlone, roles } from '../cluster/roles.ts';
import { encryptionKeys } from '../store/secrets/encryption.ts';
import { databaseUrl } from '../store/index.ts';

const limit = z.coerce
  .number({ error: 'must be a number' })
  .int('must be a whole number')
  .min(0, 'must be 0 or more')
  .optional();
const ofSpace = (what: string) =>
  limit.describe(`Most ${what} a day in each server or workspace. Default: no limit.`);
const ofPerson = (what: string) =>
  limit.describe(
    `Most ${what} a day for each person, over all servers and workspaces. Default: no limit.`,
  );

/** The operator's variables for limits of a day. */
const LIMIT_VARIABLES = {
  LIMIT_CHARACTERS_PER_DAY: ofSpace('characters'),
  LIMIT_AUDIO_MINUTES_PER_DAY: ofSpace('minutes of audio to recognise'),
  LIMIT_CHAT_TOKENS_PER_DAY: ofSpace('tokens of the language model'),
  LIMIT_CHARACTERS_PER_PERSON: ofPerson('characters'),
  LIMIT_AUDIO_MINUTES_PER_PERSON: ofPerson('minutes of audio'),
  LIMIT_CHAT_TOKENS_PER_PERSON: ofPerson('tokens of the language model'),
} as const;

export type LimitConfig = z.infer<z.ZodObject<typeof LIMIT_VARIABLES>>;

export const operatorLimits = (config: LimitConfig): OperatorLimits => ({
  space: {
    characters: config.LIMIT_CHARACTERS_PER_DAY,
    audioMinutes: config.LIMIT_AUDIO_MINUTES_PER_DAY,
    chatTokens: config.LIMIT_CHAT_TOKENS_PER_DAY,
  },
  person: {
    characters: config.LIMIT_CHARACTERS_PER_PERSON,
    audioMinutes: config.LIMIT_AUDIO_MINUTES_PER_PERSON,
    chatTokens: config.LIMIT_CHAT_TOKENS_PER_PERSON,
  },
});

const amount = (unit: string, least: number, most: number) =>
  z.coerce
    .number({ error: `must be a number of ${unit}` })
    .min(least, `must be ${least} or more`)
    .max(most, `must be ${most} or less`);

const PERSON = /^[a-z]+:[\w-]+$/;

/** Reads a list of people; an empty set without one. */
const people = z
  .string()
  .default('')
  .transform((typed, ctx): ReadonlySet<string> => {
    const ids = typed.split(/[\s,]+/).filter((id) => id !== '');
    if (ids.every((id) => PERSON.test(id))) return new Set(ids);
    ctx.addIssue('must be people such as discord:80351110224678912, slack:U0123ABCD or both');
    return z.NEVER;
  });

export const coreSection = z
  .object({
    SPEECH_API_URL: httpUrl
      .optional()
      .describe('URL of the AI service (speech, translation, language model). Default: built in.'),
    SPEECH_API_KEY: serviceKey
      .optional()
      .describe('API key for SPEECH_API_URL, including its prefix.'),
    SPEECH_CHAT_MODEL: z
      .string()
      .optional()
      .describe('Language model for /ask. Default: the first that the service lists.'),
    SPEECH_TRANSLATION_MODEL: z
      .string()
      .optional()
      .describe('Translation model. Default: chosen by the service.'),
    SPEECH_REALTIME: realtimeUses.describe(
      'Use WebSocket paths: recognition, speech or both, separated by a comma. Default: recognition with a built-in streaming model.',
    ),
    SPEECH_DETECTOR: z
      .enum(['on', 'off'])
      .default('on')
      .describe(
        'Recognise sounds only where somebody speaks: on or off. Whispering and singing to music may count as noise.',
      ),
    DATABASE_URL: databaseUrl.describe(
      'Database: sqlite:PATH for one process, or postgres://USER:PASSWORD@HOST/DATABASE for as many as you like.',
    ),
    DATABASE_CONNECTIONS: amount('connections', 2, 500)
      .int('must be a whole number')
      .default(10)
      .describe('Most connections of one process to PostgreSQL, besides two that renew leases.'),
    ROLES: roles.describe(
      'What this process does: all, or some of gateway, worker, web and service.',
    ),
    DRAIN_S: amount('seconds', 0, 3_600)
      .default(25)
      .describe('Most seconds to finish what is under way when the program is stopped.'),
    // A day is looked back to after a time away, and rows have to outlive that.
    INBOX_DAYS: amount('days', 2, 3_650)
      .default(7)
      .describe('Days to keep the outcome of messages in channels with auto-translate.'),
    COPY_DAYS: amount('days', 1, 3_650)
      .default(365)
      .describe('Days during which translations follow edits and deletions.'),
    ENCRYPTION_KEY: encryptionKeys
      .optional()
      .describe(
        'Key that encrypts stored tokens and API keys: 32 bytes as base64. To replace it, put the new one in front, with a comma.',
      ),
    OPERATORS: people.describe(
      'People who run Dragoman, by their IDs: discord:ID, slack:ID, separated by commas. Only they see in chat what concerns the operator.',
    ),
    ...LIMIT_VARIABLES,
    LOG_LEVEL: logLevel.describe('Log level: fatal, error, warn, info, debug, trace or silent.'),
  })
  .refine(
    // A key alone is one of the built-in service's own, which processes elsewhere use.
    ({ ROLES, SPEECH_API_URL, SPEECH_API_KEY }) =>
      !SPEECH_API_URL || Boolean(SPEECH_API_KEY) || isServiceAlone(ROLES),
    {
      path: ['SPEECH_API_KEY'],
      error: 'must be set together with SPEECH_API_URL',
      // Also when other variables are wrong, so that every mistake is told at once.
      when: () => true,
    },
  )
  .refine(({ ROLES, SPEECH_API_URL }) => ROLES.has('service') || SPEECH_API_URL !== undefined, {
    path: ['SPEECH_API_URL'],
    error: 'must be set for ROLES without service',
  })
  .refine(
    ({ ROLES, DATABASE_URL }) =>
      hasAll(ROLES) || isServiceAlone(ROLES) || !DATABASE_URL.startsWith('sqlite:'),
    { path: ['ROLES'], error: 'must be all with SQLite, which only one process can use' },
  );
export type CoreConfig = z.infer<typeof coreSection>;
