import { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { clientOptions } from '../api.ts';
import { fromSlack } from '../errors.ts';
import { spaceOf } from '../ids.ts';
import type { Installations, Installed } from './installations.ts';
import { isTokenAccepted } from './token-check.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Space } from '../../../src/model/place.ts';

const authTest = z.object({
  team_id: z.string(),
  team: z.string().optional(),
  url: z.string().optional(),
  user_id: z.string(),
  user: z.string().optional(),
  bot_id: z.string(),
  app_id: z.string().optional(),
});

const botsInfo = z.object({ bot: z.object({ app_id: z.string() }) });

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
    const answer = await client.auth.test();
    const auth = authTest.parse(answer);
    const scopes = answer.response_metadata?.scopes;
    const appId =
      knownAppId ??
      auth.app_id ??
      botsInfo.parse(await client.bots.info({ bot: auth.bot_id })).bot.app_id;
    return {
      space: spaceOf(auth.team_id),
      appId,
      botId: auth.bot_id,
      botUserId: auth.user_id,
      botName: auth.user ?? 'dragoman',
      scopes: scopes && new Set(scopes),
      url: auth.url ?? 'https://slack.com/',
    };
  } catch (thrown) {
    throw fromSlack(thrown, 'auth.test');
  }
};

/** The one workspace of a configured token. */
export const oneWorkspace = (
  token: string,
  apiUrl: string | undefined,
  log: Pick<Log, 'error'>,
): Installations => {
  let installed: Installed | undefined;
  /** True once the app was removed, or its token revoked. */
  let isEnded = false;
  /** The ends that were logged: `true` for that of the installation, `false` for the token's. */
  const told = new Set<boolean>();
  const isIt = ({ id }: Space): boolean => installed?.space.id === id;
  return {
    load: async () => {
      installed = await readInstalled(apiUrl, token);
      isEnded = false;
    },
    watch: () => () => {},
    known: (space) => (isIt(space) && !isEnded ? installed : undefined),
    tokenOf: async (space) => (isIt(space) && !isEnded ? token : undefined),
    tokenKnown: (space) => (isIt(space) && !isEnded ? token : undefined),
    ownerOf: (space) => space,
    tokenRefused: () => {},
    list: () => (installed && !isEnded ? [installed.space] : []),
    settled: async () => {},
    joined: async () => {},
    parted: async () => {},
    ended: async (space, isWhole, remove) => {
      // Workspaces that have the app too, under tokens that are not used here.
      if (!isIt(space)) return;
      if (await isTokenAccepted(apiUrl, token)) return;
      isEnded = true;
      if (!told.has(isWhole))
        log.error(
          isWhole
            ? 'Slack: the app was removed from its workspace; install it again, set the new SLACK_BOT_TOKEN and start again'
            : 'Slack: the token was revoked; set a new SLACK_BOT_TOKEN and start again',
        );
      told.add(isWhole);
      if (isWhole) await remove([space]);
    },
  };
};
