import { ApplicationIntegrationType, OAuth2Scopes } from 'discord.js';
import { INVITE_PERMISSIONS } from './permissions.ts';

/** Adds the bot to a server with exactly the permissions that it needs. */
export const inviteLink = (applicationId: string): string => {
  const url = new URL('https://discord.com/oauth2/authorize');
  url.search = new URLSearchParams({
    client_id: applicationId,
    permissions: String(INVITE_PERMISSIONS),
    integration_type: String(ApplicationIntegrationType.GuildInstall),
    scope: `${OAuth2Scopes.Bot} ${OAuth2Scopes.ApplicationsCommands}`,
  }).toString();
  return url.href;
};
