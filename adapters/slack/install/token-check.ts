import { WebClient } from '@slack/web-api';
import { clientOptions } from '../api.ts';
import { fromSlack, isTokenEnded } from '../errors.ts';
import { spaceOf } from '../ids.ts';
import type { Installed } from './installations.ts';
import { AppError } from '../../../src/errors.ts';
import { readCursorPages } from '../pagination.ts';

/** True while Slack accepts a token. Rejects with an `AppError` where Slack did not say. */
export const isTokenAccepted = async (url: string | undefined, token: string): Promise<boolean> => {
  try {
    await new WebClient(token, clientOptions(url)).auth.test();
    return true;
  } catch (thrown) {
    const fault = fromSlack(thrown, 'auth.test');
    if (isTokenEnded(fault)) return false;
    throw fault;
  }
};

/** Lists the ids of the workspaces that an organisation's token may be used in. */
export const readWorkspaces = async (
  url: string | undefined,
  token: string,
): Promise<readonly string[]> => {
  const client = new WebClient(token, clientOptions(url));
  const ids: string[] = [];
  try {
    const pages = readCursorPages(async (at) => client.auth.teams.list(at));
    for await (const { teams = [] } of pages) ids.push(...teams.flatMap(({ id }) => id ?? []));
    return ids;
  } catch (thrown) {
    throw fromSlack(thrown, 'auth.teams.list');
  }
};

/**
 * Asks Slack whose token it is. Rejects with an `AppError`; `unavailable` for a token that Slack does
 * not accept.
 *
 * @param knownAppId the app's id where it is known already
 */
export const readInstalled = async (
  url: string | undefined,
  token: string,
  knownAppId?: string,
): Promise<Installed> => {
  const client = new WebClient(token, clientOptions(url));
  try {
    const auth = await client.auth.test();
    const { team_id: teamId, user_id: botUserId, bot_id: botId } = auth;
    if (teamId === undefined || botUserId === undefined || botId === undefined)
      throw new AppError('bad-reply', 'Slack did not say whose token it is');
    const appId =
      knownAppId ?? auth.app_id ?? (await client.bots.info({ bot: botId })).bot?.app_id ?? '';
    const scopes = auth.response_metadata?.scopes;
    return {
      space: spaceOf(teamId),
      appId,
      botId,
      botUserId,
      botName: auth.user ?? 'dragoman',
      scopes: scopes && new Set(scopes),
      url: auth.url ?? 'https://slack.com/',
    };
  } catch (thrown) {
    throw fromSlack(thrown, 'auth.test');
  }
};
