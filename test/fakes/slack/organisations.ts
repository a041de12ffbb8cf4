import { randomBytes } from 'node:crypto';
import { addUser, ALL_SCOPES } from './population.ts';
import type { Organisation, Workspace, World } from './state.ts';

/** An organisation of workspaces that belong together ("Enterprise Grid"). */
export const addOrganisation = (world: World, name = 'organisation'): Organisation => {
  const organisation: Organisation = {
    id: world.clock.id('E'),
    name,
    token: undefined,
    bot: undefined,
    granted: new Set(),
    scopes: new Set(),
  };
  world.organisations.set(organisation.id, organisation);
  return organisation;
};

/** Lets the organisation's token be used in a workspace. */
export const grant = (world: World, organisation: Organisation, workspace: Workspace): void => {
  const { token } = organisation;
  if (token === undefined) throw new Error('the organisation has not installed the app');
  organisation.bot ??= {
    user: addUser(world, workspace, { name: 'dragoman', isBot: true }),
    id: world.clock.id('B'),
  };
  organisation.granted.add(workspace);
  workspace.installation = {
    workspace,
    organisation,
    botUser: organisation.bot.user,
    botId: organisation.bot.id,
    token,
    refreshToken: undefined,
    expiresAt: undefined,
    scopes: organisation.scopes,
    active: true,
  };
};

/** Installs the app for the organisation, in some of its workspaces. */
export const installForAll = (
  world: World,
  organisation: Organisation,
  workspaces: readonly Workspace[],
  scopes: readonly string[] = ALL_SCOPES,
): void => {
  organisation.token = `xoxb-${randomBytes(18).toString('hex')}`;
  organisation.scopes = new Set(scopes);
  organisation.granted.clear();
  for (const workspace of workspaces) grant(world, organisation, workspace);
};

/** Lets the organisation's token be used in a workspace no longer. */
export const revoke = (organisation: Organisation, workspace: Workspace): void => {
  organisation.granted.delete(workspace);
  if (workspace.installation) workspace.installation.active = false;
  workspace.installation = undefined;
};
