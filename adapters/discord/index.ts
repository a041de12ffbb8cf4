import { z } from 'zod';
import { httpUrl } from '../../src/config.ts';
import { defineAdapter } from '../../src/adapter.ts';
import { readLink } from './ids.ts';
import type { DiscordOptions } from './platform.ts';

const config = z.object({
  DISCORD_TOKEN: z
    .string()
    .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'must be the token of a bot, without "Bot " in front')
    .optional()
    .describe('Token of the Discord bot. Without it, Discord is off.'),
  DISCORD_API_URL: httpUrl
    .optional()
    .describe('URL of the Discord API, without a version. Default: Discord’s own.'),
  DISCORD_REQUESTS_PER_SECOND: z.coerce
    .number({ error: 'must be a number of requests' })
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .default(50)
    .describe('Requests per second that Discord allows this bot. Large bots get more.'),
  DISCORD_SHARDS: z.coerce
    .number({ error: 'must be a number of shards' })
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .optional()
    .describe(
      'Number of connections among which Discord divides the servers. Default: as many as Discord recommends.',
    ),
});

const optionsOf = (values: z.infer<typeof config>): DiscordOptions | undefined =>
  values.DISCORD_TOKEN === undefined
    ? undefined
    : {
        token: values.DISCORD_TOKEN,
        url: values.DISCORD_API_URL,
        requestsPerSecond: values.DISCORD_REQUESTS_PER_SECOND,
        shards: values.DISCORD_SHARDS,
      };

export default defineAdapter({
  name: 'discord',
  config,
  readLink,
  create: async (values, core) => {
    const options = optionsOf(values);
    if (!options) return undefined;
    const { createDiscordAdapter } = await import('./adapter.ts');
    return createDiscordAdapter(options, core);
  },
  diagnose: async function* diagnoseDiscord(values, core) {
    const options = optionsOf(values);
    if (!options) {
      const detail = 'off: set DISCORD_TOKEN (README, "Connect Discord")';
      yield { check: 'Discord', ok: false, isOptional: true, detail };
      return;
    }
    const { diagnose } = await import('./doctor.ts');
    yield* diagnose(options, core);
  },
});
