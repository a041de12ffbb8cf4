import {
  ApplicationFlags,
  ApplicationIntegrationType,
  GatewayIntentBits,
  Routes,
  OAuth2Scopes,
  type APIApplication,
} from 'discord.js';
import { AppError } from '../../src/errors.ts';
import type { Api } from './api.ts';
import { isTokenRefused } from './errors.ts';
import { CONTENT_INTENT, INVITE_PERMISSIONS } from './permissions.ts';

/** The application that owns the token. */
export interface Application {
  readonly id: string;
  readonly botId: string;
  readonly name: string;
  /** The bot's name, with the discriminator that old names have. */
  readonly botName: string;
  /** True when the developer portal lets the bot read message content. */
  readonly hasContentIntent: boolean;
  /** True when people can add the app to their accounts, or when Discord does not say. */
  readonly allowsAccounts: boolean;
}

const CONTENT_FLAGS =
  ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

/** Explains how to enable the intent. */
export const contentIntentHint = (applicationId: string): string =>
  `switch on "${CONTENT_INTENT}" at https://discord.com/developers/applications/${applicationId}/bot ` +
  'and start again';

export const wrongToken = (): AppError =>
  new AppError(
    'config',
    'DISCORD_TOKEN is not the token of a bot: make a new one at ' +
      'https://discord.com/developers/applications, page "Bot", button "Reset Token"',
  );

/** Reads the application of the token. Rejects with `config` for an unknown token. */
export const readApplication = async (api: Api): Promise<Application> => {
  try {
    const application = await api.send<APIApplication>('GET', Routes.currentApplication());
    const { bot } = application;
    const name = bot?.username ?? application.name;
    return {
      id: application.id,
      botId: bot?.id ?? application.id,
      name: application.name,
      botName: `${name}#${bot?.discriminator ?? '0'}`,
      hasContentIntent: ((application.flags ?? 0) & CONTENT_FLAGS) !== 0,
      allowsAccounts:
        application.integration_types_config?.[ApplicationIntegrationType.UserInstall] !==
          undefined || application.integration_types_config === undefined,
    };
  } catch (thrown) {
    throw isTokenRefused(thrown) ? wrongToken() : thrown;
  }
};

/** Selects the fewest intents that suffice: each one more needs approval and causes more events. */
export const intentsOf = ({ hasContentIntent }: Application): number =>
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.GuildMessageReactions |
  GatewayIntentBits.GuildModeration |
  GatewayIntentBits.GuildWebhooks |
  GatewayIntentBits.GuildVoiceStates |
  GatewayIntentBits.DirectMessages |
  (hasContentIntent ? GatewayIntentBits.MessageContent : 0);

const authorizeLink = (parameters: Readonly<Record<string, string>>): string => {
  const url = new URL('https://discord.com/oauth2/authorize');
  url.search = new URLSearchParams(parameters).toString();
  return url.href;
};

const botParameters = (applicationId: string, permissions: bigint) => ({
  client_id: applicationId,
  permissions: String(permissions),
  integration_type: String(ApplicationIntegrationType.GuildInstall),
  scope: `${OAuth2Scopes.Bot} ${OAuth2Scopes.ApplicationsCommands}`,
});

/** Link that adds the bot to a server with exactly the permissions that it needs. */
export const inviteLink = (applicationId: string): string =>
  authorizeLink(botParameters(applicationId, INVITE_PERMISSIONS));

/** Link that gives the bot's role on a server these permissions, with those of the invite link. */
export const grantLink = (applicationId: string, guildId: string, permissions: bigint): string =>
  authorizeLink({
    ...botParameters(applicationId, INVITE_PERMISSIONS | permissions),
    guild_id: guildId,
    disable_guild_select: 'true',
  });

/** Link that adds the commands to a person's account, for use everywhere. */
export const accountLink = (applicationId: string): string =>
  authorizeLink({
    client_id: applicationId,
    integration_type: String(ApplicationIntegrationType.UserInstall),
    scope: OAuth2Scopes.ApplicationsCommands,
  });
