import { ApplicationIntegrationType, OAuth2Scopes } from 'discord.js';
import { INVITE_PERMISSIONS } from './permissions.ts';

const authorizeLink = (parameters: Readonly<Record<string, string>>): string => {
  const url = new URL('https://discord.com/oauth2/authorize');
  url.search = new URLSearchParams(parameters).toString();
  return url.href;
};

/** Link that adds the bot to a server with exactly the permissions that it needs. */
export const inviteLink = (applicationId: string): string =>
  authorizeLink({
    client_id: applicationId,
    permissions: String(INVITE_PERMISSIONS),
    integration_type: String(ApplicationIntegrationType.GuildInstall),
    scope: `${OAuth2Scopes.Bot} ${OAuth2Scopes.ApplicationsCommands}`,
  });

/** Link that adds the commands to a person's account, for use everywhere. */
export const accountLink = (applicationId: string): string =>
  authorizeLink({
    client_id: applicationId,
    integration_type: String(ApplicationIntegrationType.UserInstall),
    scope: OAuth2Scopes.ApplicationsCommands,
  });
