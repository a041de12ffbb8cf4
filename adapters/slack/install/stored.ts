import { z } from 'zod';
import type { Installed } from './installations.ts';
import { spaceOf } from '../ids.ts';
import { AppError } from '../../../src/errors.ts';
import type { Space } from '../../../src/model/place.ts';

/** The stored form of a workspace, or of an organisation that installed the app as a whole. */
export const stored = z.looseObject({
  installation: z.looseObject({
    appId: z.string().optional(),
    bot: z
      .looseObject({
        token: z.string(),
        id: z.string(),
        userId: z.string(),
        scopes: z.array(z.string()),
        /** Makes the next token, once; undefined for a token without an end. */
        refreshToken: z.string().optional(),
        /** End of the token, s since 1970. */
        expiresAt: z.number().optional(),
      })
      .optional(),
  }),
  url: z.string().optional(),
  botName: z.string().optional(),
  /** Time of the installation, ms since 1970, by which a later one is known. */
  installedMs: z.number().optional(),
});

/** A token with what renews it. */
export type StoredBot = Pick<
  NonNullable<z.infer<typeof stored>['installation']['bot']>,
  'token' | 'refreshToken' | 'expiresAt'
>;

/** Reads the token of a stored installation; undefined for anything else. */
export const readBot = (written: string): StoredBot | undefined =>
  stored.safeParse(JSON.parse(written)).data?.installation.bot;

/** Gives a stored installation another token. */
export const withBot = (written: string, bot: StoredBot): string => {
  const json = stored.parse(JSON.parse(written));
  const { installation } = json;
  return JSON.stringify({
    ...json,
    installation: { ...installation, bot: { ...installation.bot, ...bot } },
  });
};

/** The stored form of a workspace that uses its organisation's installation. */
const pointer = z.object({ organisation: z.string() });

/** True for the id of an organisation ("Enterprise Grid"). */
export const isOrganisation = ({ id }: Space): boolean => id.startsWith('E');

/** The space of an installation: the workspace, or the organisation that has it as a whole. */
export const ownerOf = (query: {
  readonly isEnterpriseInstall?: boolean | undefined;
  readonly enterpriseId?: string | undefined;
  readonly teamId?: string | undefined;
}): Space => {
  const id = query.isEnterpriseInstall ? query.enterpriseId : query.teamId;
  if (id === undefined) throw new AppError('bad-input', 'Slack named no workspace');
  return spaceOf(id);
};

/** An installation with the token that is stored for it. */
export interface StoredInstallation {
  readonly installed: Installed;
  readonly token: string;
  readonly installedMs: number | undefined;
}

/** Reads what is stored of a space; undefined for an installation without a bot. */
export const readStored = (
  space: Space,
  written: string,
): StoredInstallation | z.infer<typeof pointer> | undefined => {
  const json: unknown = JSON.parse(written);
  const pointed = pointer.safeParse(json).data;
  if (pointed) return pointed;
  const { installation, url, botName, installedMs } = stored.parse(json);
  const { bot, appId } = installation;
  if (!bot || appId === undefined) return undefined;
  return {
    token: bot.token,
    installedMs,
    installed: {
      space,
      appId,
      botId: bot.id,
      botUserId: bot.userId,
      botName: botName ?? 'dragoman',
      scopes: new Set(bot.scopes),
      url: url ?? 'https://slack.com/',
    },
  };
};
