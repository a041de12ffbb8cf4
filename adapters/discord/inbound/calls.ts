import { GatewayDispatchEvents as Events } from 'discord.js';
import { MINUTE_MS } from '../../../src/async/clock.ts';
import type { Core } from '../../../src/adapter.ts';
import { keyOf } from '../../../src/model/place.ts';
import type { Platform } from '../../../src/ports/platform.ts';
import { logFailure } from '../../../src/telemetry/log.ts';
import { channelOf, PLATFORM } from '../ids.ts';
import { localeOf } from '../slash/commands.ts';
import { createIntroduction } from '../welcome.ts';
import type { On } from './client.ts';

/** Rate at which the bot introduces itself in one channel, whoever calls it. */
const RATE = { perSecond: 1_000 / MINUTE_MS, burst: 2 };

export interface CallsDeps {
  readonly core: Pick<Core, 'texts' | 'services' | 'log' | 'processes'>;
  readonly platform: Pick<Platform, 'post' | 'missingToPost' | 'naming'>;
  readonly botId: string;
  /** The locale of a server; undefined where it is not known. */
  readonly localeOf: (guildId: string) => string | undefined;
}

/**
 * Answers people who call the bot: with a message that begins with its mention, or with any in a direct conversation.
 * Discord gives the text of both without the intent for the content of messages (reference, "Message Content Intent").
 */
export const listenToCalls = (on: On, deps: CallsDeps): void => {
  const { core, platform, botId } = deps;
  const { services, processes, log } = core;
  const introduction = createIntroduction(deps);
  const mention = new RegExp(`^\\s*<@!?${botId}>`, 'u');

  on(Events.MessageCreate, async ({ guild_id, channel_id, author, content, webhook_id }) => {
    if (author.bot || webhook_id !== undefined || author.id === botId) return;
    const isDirect = guild_id === undefined;
    if (!isDirect && !mention.test(content)) return;
    await logFailure(log, 'Discord: who called the bot was not answered', async () => {
      const channel = channelOf(guild_id, channel_id);
      if (!isDirect && platform.missingToPost?.(channel).length !== 0) return;
      const rate = `${keyOf(channel.space)} calls ${channel.id}`;
      if (!(await processes.quota.tryTake(rate, RATE))) return;
      const { language } = await services.settings.of({ platform: PLATFORM, id: author.id });
      const locale = language ?? (isDirect ? undefined : deps.localeOf(guild_id));
      await platform.post(channel, introduction(localeOf(locale ?? 'en-US'), isDirect));
    });
  });
};
