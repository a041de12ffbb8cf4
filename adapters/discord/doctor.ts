import {
  Routes,
  type APIChannel,
  type APIGatewayBotInfo,
  type RESTAPIPartialCurrentUserGuild,
} from 'discord.js';
import { request } from 'undici';
import { toAppError } from '../../src/errors.ts';
import type { Core, Finding } from '../../src/platform.ts';
import type { ChannelWatch } from '../../src/services.ts';
import { createApi, type Api, type ApiOptions } from './api.ts';
import { contentIntentHint, readApplication, type Application } from './application.ts';
import { createClient } from './client.ts';
import { spaceOf } from './ids.ts';
import { inviteLink } from './invite.ts';
import { missingOf } from './permissions.ts';
import { createWebhooks } from './webhooks.ts';

const DISCORD_API = 'https://discord.com/api';
const WEBHOOKS_LIMIT = 15;
const GUILDS_PAGE = 200;
/** Snowflakes and positions are times: a clock that is off by more mixes them up. */
const SKEW_MS = 5_000;
const CLOCK_WAIT_MS = 10_000;

const finding = (check: string, ok: boolean, detail: string): Finding => ({
  check: `Discord: ${check}`,
  ok,
  detail,
});

/** What a failing check says. */
const tried = async (check: string, look: () => Promise<Finding>): Promise<Finding> => {
  try {
    return await look();
  } catch (thrown) {
    return finding(check, false, toAppError(thrown).message);
  }
};

const checkGateway = async (api: Api): Promise<Finding> => {
  const info = await api.send<APIGatewayBotInfo>('GET', Routes.gatewayBot());
  const { remaining, total } = info.session_start_limit;
  return finding(
    'gateway',
    remaining > 0,
    `${info.shards} shards; ${remaining} of ${total} session starts left today`,
  );
};

const checkClock = async (url: string): Promise<Finding> => {
  const { headers, body } = await request(`${url.replace(/\/+$/, '')}/v10/gateway`, {
    signal: AbortSignal.timeout(CLOCK_WAIT_MS),
  });
  const receivedMs = Date.now();
  await body.dump();
  const { date } = headers;
  const skewMs = typeof date === 'string' ? receivedMs - Date.parse(date) : Number.NaN;
  if (Number.isNaN(skewMs)) return finding('clock', true, 'Discord did not tell its time');
  const detail = `${Math.round(skewMs / 1_000)} s from Discord's`;
  return finding('clock', Math.abs(skewMs) <= SKEW_MS, detail);
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

/** Looks at the watched channels of one server, without a connection to the gateway. */
const createInspection = (options: ApiOptions, application: Application, core: Core, api: Api) => {
  const client = createClient(options, application);
  client.rest.setToken(options.token);
  const webhooks = createWebhooks({
    api,
    application: () => application,
    log: core.log,
    now: () => performance.now(),
  });

  const checkPermissions = async (
    { channel, mode }: ChannelWatch,
    place: string,
  ): Promise<Finding> => {
    const guild = await client.guilds.fetch(channel.space.id);
    const me = await guild.members.fetch(application.botId);
    const found = await guild.channels.fetch(channel.id);
    // What is allowed in a thread stands at its channel.
    if (found?.isThread() && found.parentId) await guild.channels.fetch(found.parentId);
    const missing = missingOf(found?.permissionsFor(me), mode, found?.isThread() ?? false);
    const detail = missing.length > 0 ? `allow the bot: ${missing.join(', ')}` : `${mode}: all`;
    return finding(`permissions in ${place}`, missing.length === 0, detail);
  };

  const checkWebhooks = async ({ channel }: ChannelWatch, place: string): Promise<Finding> => {
    const { all, isOursThere } = await webhooks.count(channel);
    const detail = `${all} of ${WEBHOOKS_LIMIT} in use${isOursThere ? ', one of them ours' : ''}`;
    return finding(`webhooks of ${place}`, isOursThere || all < WEBHOOKS_LIMIT, detail);
  };

  const nameOf = async ({ channel: { id } }: ChannelWatch): Promise<string> => {
    try {
      return (await api.send<APIChannel>('GET', Routes.channel(id))).name ?? id;
    } catch {
      return id;
    }
  };

  return async function* inspect(guildId: string, guildName: string): AsyncGenerator<Finding> {
    for (const watch of core.services.watches.list(spaceOf(guildId, ''))) {
      const place = `#${await nameOf(watch)} of ${guildName}`;
      yield await tried(`permissions in ${place}`, async () => checkPermissions(watch, place));
      if (watch.mode !== 'reply')
        yield await tried(`webhooks of ${place}`, async () => checkWebhooks(watch, place));
    }
  };
};

/**
 * Looks whether everything is as it has to be on Discord's side, and says what to do where it is
 * not. Connects to nothing but the REST API; changes nothing.
 */
export const diagnose = async function* (
  options: ApiOptions,
  core: Core,
): AsyncGenerator<Finding, void, void> {
  const api = createApi(options);
  let application: Application;
  try {
    application = await readApplication(api);
  } catch (thrown) {
    yield finding('token', false, toAppError(thrown).message);
    return;
  }
  const { id, botName, hasContentIntent } = application;
  yield finding('token', true, `of ${botName}`);
  yield finding(
    'message content',
    hasContentIntent,
    hasContentIntent ? 'can be read' : contentIntentHint(id),
  );
  yield await tried('gateway', async () => checkGateway(api));
  yield await tried('clock', async () => checkClock(options.url ?? DISCORD_API));
  try {
    const guilds = await guildsOf(api);
    const some = guilds.length > 0;
    yield finding('servers', some, some ? `in ${guilds.length}` : 'in none: use the invite link');
    const inspect = createInspection(options, application, core, api);
    for (const guild of guilds) yield* inspect(guild.id, guild.name);
  } catch (thrown) {
    yield finding('servers', false, toAppError(thrown).message);
  }
  yield finding('invite link', true, inviteLink(id));
};
