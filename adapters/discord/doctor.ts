import {
  RESTJSONErrorCodes,
  Routes,
  type APIGatewayBotInfo,
  type RESTAPIPartialCurrentUserGuild,
} from 'discord.js';
import { createFindings } from '../../src/app/findings.ts';
import { realClock } from '../../src/async/clock.ts';
import { toAppError } from '../../src/errors.ts';
import type { Channel } from '../../src/model/place.ts';
import type { Core } from '../../src/adapter.ts';
import type { Finding } from '../../src/model/service.ts';
import { isInPlace, type ChannelWatch } from '../../src/model/space.ts';
import { createDiscordApi, type Api, type ApiOptions } from './api.ts';
import {
  contentIntentHint,
  readApplication,
  accountLink,
  inviteLink,
  type Application,
} from './application.ts';
import { createClient } from './inbound/client.ts';
import { spaceOf } from './ids.ts';
import { fromDiscord, isRefusal } from './errors.ts';
import { GUILDS_PAGE, WEBHOOKS } from './limits.ts';
import { kindOf, missingBeside, missingOf } from './permissions.ts';
import { createWebhooks } from './mirrors/webhooks.ts';
import { loadLink } from './voice/index.ts';

const DISCORD_API = 'https://discord.com/api';
/**
 * Largest tolerated clock skew: snowflakes and positions contain times, which a larger skew mixes
 * up.
 */
const SKEW_MS = 5_000;
const NO_SERVER = 'in none yet: open the link "add to a server" below';

const { finding, optional, runCheck, checkClock } = createFindings('Discord');

const checkGateway = async (api: Api): Promise<Finding> => {
  const info = await api.send<APIGatewayBotInfo>('GET', Routes.gatewayBot());
  const { remaining, total } = info.session_start_limit;
  return finding(
    'gateway',
    remaining > 0,
    `${info.shards} ${info.shards === 1 ? 'shard' : 'shards'}; ${remaining} of ${total} session starts left today`,
  );
};

/** Checks the voice library: native code, which an installation can lack. */
const checkVoice = async (): Promise<Finding> => {
  await loadLink();
  return finding('voice channels', true, 'can be joined');
};

const guildsOf = async (api: Api): Promise<readonly RESTAPIPartialCurrentUserGuild[]> => {
  const guilds: RESTAPIPartialCurrentUserGuild[] = [];
  for (;;) {
    const after = guilds.at(-1)?.id;
    const page = await api.send<RESTAPIPartialCurrentUserGuild[]>('GET', Routes.userGuilds(), {
      query: { limit: String(GUILDS_PAGE), ...(after === undefined ? {} : { after }) },
    });
    guilds.push(...page);
    if (page.length < GUILDS_PAGE) return guilds;
  }
};

const whyUnreadable = (thrown: unknown): string => {
  const error = fromDiscord(thrown, 'the channel');
  if (isRefusal(error, RESTJSONErrorCodes.UnknownChannel))
    return 'is gone: end its translation with /autotranslate off';
  if (isRefusal(error, RESTJSONErrorCodes.MissingAccess))
    return `allow the bot there: ${missingOf(undefined, 'reply', kindOf(undefined)).join(', ')}`;
  return error.message;
};

/** Creates the inspection of servers' watched channels, which does not connect to the gateway. */
const createInspection = (options: ApiOptions, application: Application, core: Core, api: Api) => {
  const client = createClient(options, application);
  client.rest.setToken(options.token);
  const known = (): Application => application;
  const { nowMs: now } = realClock;
  const webhooks = createWebhooks({ api, application: known, log: core.log, now });

  /** Reads the bot's permissions in all channels of a server, hidden ones included. */
  const enter = async (guildId: string) => {
    const guild = await client.guilds.fetch(guildId);
    const [me, channels] = await Promise.all([
      guild.members.fetch(application.botId),
      guild.channels.fetch(),
    ]);
    return async (id: string) => {
      // Threads are not listed.
      const found = channels.get(id) ?? (await guild.channels.fetch(id));
      return { found, granted: found?.permissionsFor(me) };
    };
  };

  const checkWebhooks = async (channel: Channel, place: string): Promise<Finding> => {
    const { all, isOursThere } = await webhooks.count(channel);
    const detail = `${place}: ${all} of ${WEBHOOKS} in use${isOursThere ? ', one of them ours' : ''}`;
    return finding('webhooks', isOursThere || all < WEBHOOKS, detail);
  };

  const inspect = async function* (
    { mode, channel }: ChannelWatch,
    guildName: string,
    look: Awaited<ReturnType<typeof enter>>,
  ): AsyncGenerator<Finding, void, void> {
    let seen: Awaited<ReturnType<typeof look>>;
    try {
      seen = await look(channel.id);
    } catch (thrown) {
      yield finding('channel', false, `${channel.id} of ${guildName}: ${whyUnreadable(thrown)}`);
      return;
    }
    const { found, granted } = seen;
    const place = `#${found?.name ?? channel.id} of ${guildName}`;
    const missing = missingOf(granted, mode, kindOf(found));
    const isAllowed = missing.length === 0;
    const permissions = isAllowed
      ? `all that ${mode} needs`
      : `allow the bot there: ${missing.join(', ')}`;
    yield finding('channel', isAllowed, `${place}: ${permissions}`);
    const beside = missingBeside(granted, mode);
    if (beside.length > 0)
      yield optional(
        'threads, pins and reactions',
        `${place}: allow the bot there: ${beside.join(', ')}`,
      );
    // Without these permissions Discord does not list the webhooks either.
    if (!isInPlace(mode) && isAllowed)
      yield await runCheck('webhooks', async () => checkWebhooks(channel, place));
  };

  return async function* inspectGuild(guildId: string, name: string): AsyncGenerator<Finding> {
    const watches = core.services.watches.list(spaceOf(guildId, ''));
    if (watches.length === 0) return;
    let look: Awaited<ReturnType<typeof enter>>;
    try {
      look = await enter(guildId);
    } catch (thrown) {
      yield finding('channels', false, `of ${name}: ${fromDiscord(thrown, 'the server').message}`);
      return;
    }
    for (const watch of watches) yield* inspect(watch, name, look);
  };
};

/**
 * Checks the setup on Discord's side and says how to fix it. Connects only to the REST API; changes
 * nothing.
 */
export const diagnose = async function* (
  options: ApiOptions,
  core: Core,
): AsyncGenerator<Finding, void, void> {
  const api = createDiscordApi(options);
  const clockUrl = (options.url ?? DISCORD_API).replace(/\/+$/, '');
  let application: Application;
  try {
    application = await readApplication(api);
  } catch (thrown) {
    yield finding('token', false, toAppError(thrown).message);
    return;
  }
  const { id, botName, hasContentIntent, allowsAccounts } = application;
  yield finding('token', true, `of ${botName}`);
  yield finding(
    'message content',
    hasContentIntent,
    hasContentIntent ? 'can be read' : contentIntentHint(id),
  );
  yield await runCheck('gateway', async () => checkGateway(api));
  yield await runCheck('clock', async () =>
    checkClock({ url: `${clockUrl}/v10/gateway`, mostMs: SKEW_MS }),
  );
  yield await runCheck('voice channels', checkVoice);
  try {
    const guilds = await guildsOf(api);
    if (guilds.length > 0) yield finding('servers', true, `in ${guilds.length}`);
    else yield optional('servers', NO_SERVER);
    const inspect = createInspection(options, application, core, api);
    for (const guild of guilds) yield* inspect(guild.id, guild.name);
  } catch (thrown) {
    yield finding('servers', false, toAppError(thrown).message);
  }
  yield finding('add to a server', true, inviteLink(id));
  const hint = allowsAccounts
    ? ''
    : `first switch on "User Install" at https://discord.com/developers/applications/${id}/installation, then open `;
  const account = finding('add to an account', allowsAccounts, `${hint}${accountLink(id)}`);
  yield { ...account, isOptional: true };
};
