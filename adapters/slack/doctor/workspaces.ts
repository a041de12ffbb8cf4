import { type Api, createSlackApi } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { readHistoryPage } from '../history.ts';
import type { Installed } from '../install/installations.ts';
import { LIMITED_PAGE } from '../limits.ts';
import { createFindings } from '../../../src/app/findings.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Finding } from '../../../src/model/service.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { SlackOptions } from '../adapter.ts';
import { missingIn, readChannel } from '../channel-feed.ts';
import { channelIdOf } from '../ids.ts';
import { openInstallations } from '../install/index.ts';
import { readInstalled } from '../install/tokens.ts';
import { INSTALL_PATH, pageOf } from '../manifest.ts';
import { BESIDE_COPIES, OPTIONAL, SCOPES, scopesOf, type ScopeChoice } from '../scopes.ts';
import type { Core } from '../../../src/adapter.ts';
import type { ChannelWatch } from '../../../src/model/space.ts';

const { finding, optional, runCheck } = createFindings('Slack');

/**
 * Reads a page of a channel, whose length shows how much history Slack gives the app; undefined where
 * the app is not in the channel.
 */
export const checkHistory = async (
  api: Api,
  channel: Channel,
  { url }: Installed,
): Promise<Finding | undefined> => {
  const limited = optional(
    'history',
    `at ${url} ${LIMITED_PAGE} messages a minute, as Slack limits commercial apps outside its Marketplace: catching up after an absence takes long. An app that you create for your own workspace gets all`,
  );
  const isLimited = (): boolean => api.history.isLimited(channel.space);
  try {
    const { messages } = await readHistoryPage(api, channel, {}, {});
    if (isLimited()) return limited;
    const detail =
      messages.length > LIMITED_PAGE ? 'all' : 'not known yet, as there is little of it';
    return finding('history', true, `at ${url} ${detail}`);
  } catch (thrown) {
    if (isLimited()) return limited;
    if (isRefusal(thrown, 'not_in_channel', 'channel_not_found')) return undefined;
    return finding('history', false, `at ${url}: ${toAppError(thrown).message}`);
  }
};

/** Longest wait until no other process renews a token. */
const LONGEST_MS = 30_000;

const tokenHint = (thrown: unknown): string => {
  if (isRefusal(thrown, 'invalid_auth', 'not_authed'))
    return `Slack doesn't know SLACK_BOT_TOKEN: copy "Bot User OAuth Token" from ${pageOf('oauth', undefined)}`;
  if (isRefusal(thrown, 'token_expired'))
    return 'SLACK_BOT_TOKEN has expired: with token rotation, set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET instead';
  if (isRefusal(thrown, 'token_revoked', 'account_inactive'))
    return `SLACK_BOT_TOKEN was revoked: install the app again at ${pageOf('install-on-team', undefined)} and set the new token`;
  return toAppError(thrown).message;
};

/** Says what was left out by choice. */
const leftOut = ({ without = [], names }: ScopeChoice): string =>
  [
    ...without.map((name) => `without ${name} (no ${OPTIONAL[name].loses})`),
    ...(names === 'app' ? ['copies under the app’s own name'] : []),
  ].join(', ');

const checkScopes = ({ scopes, appId, url }: Installed, choice: ScopeChoice): Finding => {
  if (!scopes) return finding('scopes', true, 'Slack did not name them');
  const asked = scopesOf(choice);
  const chosen = leftOut(choice);
  const missing = asked.filter((scope) => !scopes.has(scope));
  const page = pageOf('oauth', appId);
  if (missing.length > 0) {
    const named = missing.map((scope) => `${scope} (${SCOPES[scope]})`).join(', ');
    const detail = `at ${url} missing: ${named}. Add them at ${page} and install the app again`;
    const isLesser = missing.every((scope) => BESIDE_COPIES.some((one) => one === scope));
    return isLesser ? optional('scopes', detail) : finding('scopes', false, detail);
  }
  if (chosen === '') return finding('scopes', true, `all, at ${url}`);
  const spare = Object.keys(SCOPES).filter((scope) => !asked.includes(scope) && scopes.has(scope));
  const still =
    spare.length > 0 ? `. It still has ${spare.join(', ')}: take them away at ${page}` : '';
  return finding('scopes', true, `all that were chosen, at ${url}: ${chosen}${still}`);
};

const inspect = async (
  api: Api,
  { channel, mode, below }: ChannelWatch,
  installed: Installed,
  choice: ScopeChoice,
): Promise<Finding> => {
  const info = await readChannel(api, channel);
  const place = `#${info?.name ?? channelIdOf(channel)} at ${installed.url}`;
  const missing = await missingIn(api, { channel, mode, below: below ?? false, installed, choice });
  return missing.length === 0
    ? finding('channel', true, `${place}: all that ${mode} needs`)
    : finding('channel', false, `${place}: needs ${missing.join(', ')}`);
};

/** Checks each workspace that has the app; returns the app's id, as far as it is known. */
export const checkWorkspaces = async function* (
  options: SlackOptions,
  publicUrl: string | undefined,
  core: Core,
): AsyncGenerator<Finding, string | undefined, void> {
  const { url, botToken } = options;
  const check = botToken === undefined ? 'workspaces' : 'token';
  let opened: ReturnType<typeof openInstallations>['installations'];
  try {
    opened = openInstallations(options, core, AbortSignal.timeout(LONGEST_MS)).installations;
    await opened.load();
  } catch (thrown) {
    yield finding(check, false, tokenHint(thrown));
    return undefined;
  }
  const api = createSlackApi(options, opened);
  const spaces = opened.list();
  if (spaces.length === 0) {
    const page = publicUrl === undefined ? INSTALL_PATH : new URL(INSTALL_PATH, publicUrl).href;
    yield optional('workspaces', `none yet: open ${page} in a browser to install the app`);
  }
  let appId: string | undefined;
  for (const space of spaces) {
    const installed = opened.known(space);
    if (!installed) continue;
    appId = installed.appId;
    try {
      const token = await opened.tokenOf(space);
      const { scopes } = await readInstalled(url, token ?? '');
      yield finding('token', true, `of @${installed.botName} at ${installed.url}`);
      yield checkScopes({ ...installed, scopes }, options);
    } catch (thrown) {
      const again = `open ${INSTALL_PATH} to install the app there again`;
      yield finding('token', false, `${installed.url}: ${toAppError(thrown).message}; ${again}`);
      continue;
    }
    const watches = core.services.watches.list(space);
    for (const watch of watches)
      yield await runCheck('channel', async () => inspect(api, watch, installed, options));
    for (const { channel } of watches) {
      const known = await checkHistory(api, channel, installed);
      if (!known) continue;
      yield known;
      break;
    }
  }
  return appId;
};
