import {
  ApplicationFlags,
  ApplicationIntegrationType,
  GatewayIntentBits,
  Routes,
  type APIApplication,
} from 'discord.js';
import { AppError } from '../../src/errors.ts';
import type { Api } from './api.ts';
import { isTokenRefused } from './errors.ts';
import { CONTENT_INTENT } from './permissions.ts';

/** The application that the token belongs to. */
export interface Application {
  readonly id: string;
  readonly botId: string;
  /** The application's name. */
  readonly name: string;
  /** The bot's name, with the number that old names have. */
  readonly botName: string;
  /** True when the portal lets it read what others write. */
  readonly hasContentIntent: boolean;
  /** True when people can add it to their accounts, or where Discord does not say. */
  readonly allowsAccounts: boolean;
}

const CONTENT_FLAGS =
  ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

/** Tells how to switch the intent on. */
export const contentIntentHint = (applicationId: string): string =>
  `switch on "${CONTENT_INTENT}" at https://discord.com/developers/applications/${applicationId}/bot ` +
  'and start again';

export const wrongToken = (): AppError =>
  new AppError(
    'config',
    'DISCORD_TOKEN is not the token of a bot: make a new one at ' +
      'https://discord.com/developers/applications, page "Bot", button "Reset Token"',
  );

/** Rejects with `config` for a token that Discord does not know. */
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

/** The fewest that do the work; more is more to be asked for, and more events to pay for. */
export const intentsOf = ({ hasContentIntent }: Application): number =>
  GatewayIntentBits.Guilds |
  GatewayIntentBits.GuildMessages |
  GatewayIntentBits.GuildMessageReactions |
  GatewayIntentBits.GuildModeration |
  GatewayIntentBits.GuildWebhooks |
  GatewayIntentBits.GuildVoiceStates |
  (hasContentIntent ? GatewayIntentBits.MessageContent : 0);
