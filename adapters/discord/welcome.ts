import {
  AuditLogEvent,
  ChannelType,
  Routes,
  type Client,
  type GatewayGuildCreateDispatchData,
  type RESTGetAPIAuditLogResult,
} from 'discord.js';
import { MINUTE_MS } from '../../src/async/clock.ts';
import { firstSteps, type FirstStep } from '../../src/command/welcome.ts';
import type { Core } from '../../src/adapter.ts';
import type { Content } from '../../src/model/message.ts';
import type { Channel } from '../../src/model/place.ts';
import type { Platform } from '../../src/ports/platform.ts';
import { logFailure } from '../../src/telemetry/log.ts';
import type { Api } from './api.ts';
import { channelOf, PLATFORM, spaceOf } from './ids.ts';
import { findIn, missingToPost } from './permissions.ts';
import { localeOf } from './slash/commands.ts';

/** Age of a membership up to which a server counts as new. */
const NEW_MS = 10 * MINUTE_MS;
/** Entries of the audit log that are looked at. */
const ENTRIES = '10';
const IN_SERVERS = ['translate', 'captions', 'language', 'help'] as const;
/** Steps that need no server. */
const IN_DIRECT = ['language', 'help'] as const;

export interface WelcomeDeps {
  readonly api: Pick<Api, 'send'>;
  readonly core: Pick<Core, 'texts' | 'services' | 'log'>;
  readonly platform: Pick<Platform, 'post' | 'tell' | 'naming'>;
  readonly botId: string;
}

/** Creates the message in which the bot introduces itself: in a server, or to somebody directly. */
export const createIntroduction =
  ({ core: { texts }, platform: { naming = 'plain' } }: Pick<WelcomeDeps, 'core' | 'platform'>) =>
  (locale: string, isDirect: boolean): Content => {
    const steps: readonly FirstStep[] = isDirect ? IN_DIRECT : IN_SERVERS;
    return {
      text: texts.rich(locale, naming)(isDirect ? 'welcome.direct' : 'welcome.server'),
      controls: firstSteps(texts.in(locale, naming), steps),
    };
  };

/** The channels that may be for everybody, the one of the server's own messages first. */
const candidates = ({
  id,
  channels,
  system_channel_id: system,
  rules_channel_id: rules,
}: GatewayGuildCreateDispatchData): readonly Channel[] =>
  channels
    .flatMap((one) => (one.type === ChannelType.GuildText && one.id !== rules ? [one] : []))
    .filter(({ nsfw }) => !nsfw)
    .toSorted(
      (a, b) => Number(b.id === system) - Number(a.id === system) || a.position - b.position,
    )
    .map((one) => channelOf(id, one.id));

/** True where the bot and everybody else may write. */
const isForEverybody = (client: Client, channel: Channel): boolean => {
  const found = findIn(client, channel);
  return (
    found !== undefined &&
    missingToPost(client, channel).length === 0 &&
    found.permissionsFor(found.guild.id)?.has(['ViewChannel', 'SendMessages']) === true
  );
};

/**
 * Creates what introduces the bot to a server that it was just added to, once: in a channel where everybody writes, or
 * to who added it, where the bot may read the audit log. Never rejects: a failure is logged.
 */
export const createWelcome = (deps: WelcomeDeps) => {
  const { api, core, platform, botId } = deps;
  const introduction = createIntroduction(deps);

  /** The person who added the bot (reference, "Audit Log Events": BOT_ADD). */
  const adderIn = async (client: Client, guildId: string): Promise<string | undefined> => {
    const me = client.guilds.cache.get(guildId)?.members.me;
    if (!me?.permissions.has('ViewAuditLog')) return undefined;
    const query = { action_type: `${AuditLogEvent.BotAdd}`, limit: ENTRIES };
    const { audit_log_entries: entries } = await api.send<RESTGetAPIAuditLogResult>(
      'GET',
      Routes.guildAuditLog(guildId),
      { query },
    );
    return entries.find(({ target_id: target }) => target === botId)?.user_id ?? undefined;
  };

  return async (guild: GatewayGuildCreateDispatchData, client: Client): Promise<void> => {
    if (Date.now() - Date.parse(guild.joined_at) > NEW_MS) return;
    await logFailure(core.log, 'Discord: a new server was not greeted', async () => {
      const space = spaceOf(guild.id, '');
      if (!(await core.services.spaces.greets(space, space.id))) return;
      const locale = localeOf(guild.preferred_locale);
      const channel = candidates(guild).find((one) => isForEverybody(client, one));
      if (channel) {
        await platform.post(channel, introduction(locale, false));
        return;
      }
      const id = await adderIn(client, guild.id);
      if (id !== undefined)
        await platform.tell?.({ platform: PLATFORM, id }, introduction(locale, true));
    });
  };
};
