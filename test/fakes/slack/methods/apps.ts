import { z } from 'zod';
import { SlackFault } from '../errors.ts';
import { install, rotate } from '../population.ts';
import type { Json } from '../json.ts';
import { installForAll } from '../organisations.ts';
import type { Organisation, User, Workspace, World } from '../state.ts';
import { count, method, revokeToken, SPECIAL, TIER, type Method } from './call.ts';

/** A code that a person's consent gave out; used once, within ten minutes ("OAuth"). */
export interface Code {
  readonly workspace: Workspace;
  /** Set where the app is installed for the whole organisation. */
  readonly organisation:
    | { readonly of: Organisation; readonly workspaces: readonly Workspace[] }
    | undefined;
  readonly user: User;
  readonly scopes: readonly string[];
  readonly redirectUrl: string | undefined;
  readonly createdAt: number;
}

const CODE_MS = 600_000;
const codesOf = new WeakMap<World, Map<string, Code>>();

export const codes = (world: World): Map<string, Code> => {
  const known = codesOf.get(world) ?? new Map<string, Code>();
  codesOf.set(world, known);
  return known;
};

/** Socket addresses that were handed out and not used yet. */
const ticketsOf = new WeakMap<World, Set<string>>();

export const tickets = (world: World): Set<string> => {
  const known = ticketsOf.get(world) ?? new Set<string>();
  ticketsOf.set(world, known);
  return known;
};

const openConnection: Method = {
  name: 'apps.connections.open',
  rate: TIER[3],
  scopes: [],
  token: 'app',
  run: (world) => {
    if (!world.app.socketMode) throw new SlackFault('socket_mode_not_enabled');
    if (!world.app.appScopes.has('connections:write'))
      throw new SlackFault('missing_scope', {
        needed: 'connections:write',
        provided: [...world.app.appScopes].join(','),
      });
    const ticket = world.clock.id('K');
    tickets(world).add(ticket);
    const origin = world.origin.replace(/^http/, 'ws');
    return { url: `${origin}/link/?ticket=${ticket}&app_id=${world.app.id}` };
  },
};

const accessArgs = z.looseObject({
  client_id: z.string(),
  client_secret: z.string(),
  code: z.string().optional(),
  redirect_uri: z.string().optional(),
  grant_type: z.enum(['authorization_code', 'refresh_token']).optional(),
  refresh_token: z.string().optional(),
});

const accessOf = (world: World, workspace: Workspace, user: User | undefined): Json => {
  const installation = workspace.installation;
  if (!installation) throw new SlackFault('invalid_code');
  const { expiresAt, refreshToken, organisation } = installation;
  return {
    access_token: installation.token,
    token_type: 'bot',
    scope: [...installation.scopes].join(','),
    bot_user_id: installation.botUser.id,
    app_id: world.app.id,
    team: organisation ? null : { id: workspace.id, name: workspace.name },
    enterprise:
      workspace.enterpriseId === undefined
        ? null
        : { id: workspace.enterpriseId, name: workspace.enterpriseId },
    is_enterprise_install: organisation !== undefined,
    ...(user ? { authed_user: { id: user.id } } : {}),
    ...(expiresAt === undefined
      ? {}
      : {
          expires_in: Math.floor((expiresAt - world.clock.now()) / 1_000),
          refresh_token: refreshToken,
        }),
  };
};

const access: Method = {
  name: 'oauth.v2.access',
  rate: SPECIAL,
  scopes: [],
  token: 'none',
  run: (world, given) => {
    const parsed = accessArgs.safeParse(given);
    if (!parsed.success) throw new SlackFault('invalid_arguments');
    const args = parsed.data;
    if (args.client_id !== world.app.clientId) throw new SlackFault('invalid_client_id');
    if (args.client_secret !== world.app.clientSecret) throw new SlackFault('bad_client_secret');
    if (args.grant_type === 'refresh_token') {
      const found = [...world.workspaces.values()].find(
        ({ installation }) =>
          installation?.active && installation.refreshToken === args.refresh_token,
      );
      if (!found?.installation || args.refresh_token === undefined)
        throw new SlackFault('invalid_refresh_token');
      rotate(world, found.installation);
      return accessOf(world, found, undefined);
    }
    const code = codes(world).get(args.code ?? '');
    codes(world).delete(args.code ?? '');
    if (!code || world.clock.now() - code.createdAt > CODE_MS) throw new SlackFault('invalid_code');
    if ((code.redirectUrl ?? '') !== (args.redirect_uri ?? ''))
      throw new SlackFault('bad_redirect_uri');
    if (code.organisation) {
      const { of, workspaces } = code.organisation;
      installForAll(world, of, workspaces, code.scopes);
    } else install(world, code.workspace, code.scopes);
    return accessOf(world, code.workspace, code.user);
  },
};

const revoke = method('auth.revoke', { args: z.looseObject({}) }, ({ world, installation }) => {
  revokeToken(world, installation);
  installation.active = false;
  return { revoked: true };
});

const uninstall = method(
  'apps.uninstall',
  { args: z.looseObject({ client_id: z.string(), client_secret: z.string() }) },
  ({ world, installation, args }) => {
    if (args.client_secret !== world.app.clientSecret) throw new SlackFault('bad_client_secret');
    removeApp(world, installation.workspace);
    return {};
  },
);

/** Removes the app from a workspace, with the events that Slack sends, in no set order. */
export const removeApp = (world: World, workspace: Workspace): void => {
  const { installation } = workspace;
  if (!installation?.active) return;
  const tokens = { oauth: [], bot: [installation.botUser.id] };
  world.event({ workspaces: [workspace] }, { type: 'tokens_revoked', tokens });
  world.event({ workspaces: [workspace] }, { type: 'app_uninstalled' });
  revokeToken(world, installation);
  installation.active = false;
};

/** Lists the workspaces in which a token may be used. */
const teamsList = method(
  'auth.teams.list',
  {
    rate: TIER[2],
    args: z.looseObject({ limit: count(100, 1_000), cursor: z.string().optional() }),
  },
  ({ installation }) => {
    const { organisation, workspace } = installation;
    const granted = organisation ? [...organisation.granted] : [workspace];
    return { teams: granted.map(({ id, name }) => ({ id, name })) };
  },
);

/** Answers anybody. */
const test: Method = {
  name: 'api.test',
  rate: SPECIAL,
  scopes: [],
  token: 'none',
  run: () => ({}),
};

export const appMethods: readonly Method[] = [
  test,
  openConnection,
  access,
  revoke,
  uninstall,
  teamsList,
];
