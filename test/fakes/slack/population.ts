import { randomBytes } from 'node:crypto';
import { EVENTS } from './limits.ts';
import type { App, Channel, ChannelKind, Installation, User, Workspace, World } from './state.ts';

/** What the app asks for by default: enough for everything that the fake can do. */
export const ALL_SCOPES = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:join',
  'channels:read',
  'chat:write',
  'chat:write.customize',
  'chat:write.public',
  'commands',
  'emoji:read',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'metadata.message:read',
  'mpim:history',
  'mpim:read',
  'pins:read',
  'pins:write',
  'reactions:read',
  'reactions:write',
  'team:read',
  'usergroups:read',
  'users:read',
] as const;

/** Life of a rotated token ("Token rotation"). */
const TOKEN_LIFE_MS = 12 * 3_600_000;

const token = (prefix: string): string => `${prefix}-${randomBytes(18).toString('hex')}`;

export const createApp = (clock: World['clock'], name: string): App => {
  const id = clock.id('A');
  return {
    id,
    name,
    clientId: `${clock.id('1')}.${clock.id('2')}`,
    clientSecret: randomBytes(16).toString('hex'),
    signingSecret: randomBytes(16).toString('hex'),
    appToken: token(`xapp-1-${id}-1`),
    appScopes: new Set(['connections:write']),
    socketMode: true,
    rotatesTokens: false,
    tokenLifeMs: TOKEN_LIFE_MS,
    requestUrl: undefined,
    events: new Set(['*']),
    eventsAnHour: EVENTS.count,
    tellsEachWorkspace: false,
    redirectUrls: new Set(),
  };
};

export interface NewWorkspace {
  readonly name?: string;
  readonly enterpriseId?: string;
  /** Default: installed with every scope. */
  readonly installed?: boolean;
  readonly scopes?: readonly string[];
  /** Default: full. */
  readonly history?: 'full' | 'limited';
  readonly emoji?: Readonly<Record<string, string>>;
}

export interface NewUser {
  readonly name?: string;
  readonly displayName?: string;
  readonly locale?: string;
  readonly isAdmin?: boolean;
  /** Another app's bot. */
  readonly isBot?: boolean;
  /** More workspaces of the same organisation: the id then begins with W. */
  readonly alsoIn?: readonly { readonly id: string }[];
  /** True for somebody whom `users.info` does not know, as Slack hides some of other organisations. */
  readonly hidden?: boolean;
}

export interface NewChannel {
  readonly made?: Channel['made'];
  readonly name?: string;
  readonly kind?: ChannelKind;
  readonly members?: readonly { readonly id: string }[];
  /** Default: the app is a member. */
  readonly bot?: boolean;
  /** More workspaces: a Slack Connect channel. */
  readonly sharedWith?: readonly { readonly id: string }[];
}

export const addUser = (world: World, workspace: Workspace, options: NewUser = {}): User => {
  const id = world.clock.id(options.alsoIn ? 'W' : 'U');
  const name = options.name ?? `user-${id.toLowerCase()}`;
  const user: User = {
    id,
    workspace,
    name,
    displayName: options.displayName ?? name,
    locale: options.locale ?? 'en-US',
    isAdmin: options.isAdmin ?? false,
    isBot: options.isBot ?? false,
    imageUrl: `https://avatars.slack-edge.com/${id}.png`,
    alsoIn: new Set((options.alsoIn ?? []).map((each) => each.id)),
    hidden: options.hidden ?? false,
  };
  workspace.users.set(id, user);
  return user;
};

/** Installs the app, or renews its installation with other scopes. */
export const install = (
  world: World,
  workspace: Workspace,
  scopes: readonly string[] = ALL_SCOPES,
): Installation => {
  const former = workspace.installation;
  const rotates = world.app.rotatesTokens;
  const installation: Installation = {
    workspace,
    organisation: undefined,
    botUser: former?.botUser ?? addUser(world, workspace, { name: 'dragoman', isBot: true }),
    botId: former?.botId ?? world.clock.id('B'),
    token: token(rotates ? 'xoxe.xoxb-1' : 'xoxb'),
    refreshToken: rotates ? token('xoxe-1') : undefined,
    expiresAt: rotates ? world.clock.now() + world.app.tokenLifeMs : undefined,
    scopes: new Set(scopes),
    active: true,
  };
  workspace.installation = installation;
  return installation;
};

/** Gives an installation the next tokens. */
export const rotate = (world: World, installation: Installation): void => {
  installation.token = token('xoxe.xoxb-1');
  installation.refreshToken = token('xoxe-1');
  installation.expiresAt = world.clock.now() + world.app.tokenLifeMs;
};

export const addWorkspace = (world: World, options: NewWorkspace = {}): Workspace => {
  const id = world.clock.id('T');
  const workspace: Workspace = {
    id,
    name: options.name ?? `workspace ${id}`,
    domain: id.toLowerCase(),
    enterpriseId: options.enterpriseId,
    users: new Map(),
    emoji: new Map(Object.entries(options.emoji ?? {})),
    groups: new Map(),
    groupMembers: new Map(),
    installation: undefined,
    history: options.history ?? 'full',
  };
  world.workspaces.set(id, workspace);
  if (options.installed ?? true) install(world, workspace, options.scopes);
  return workspace;
};

const PREFIXES: Readonly<Record<ChannelKind, string>> = {
  public: 'C',
  private: 'C',
  im: 'D',
  mpim: 'G',
};

export const addChannel = (
  world: World,
  workspace: Workspace,
  options: NewChannel = {},
): Channel => {
  const kind = options.kind ?? 'public';
  const id = world.clock.id(PREFIXES[kind]);
  const others = (options.sharedWith ?? []).map((each) => {
    const other = world.workspaces.get(each.id);
    if (!other) throw new Error('no such workspace');
    return other;
  });
  const workspaces = [workspace, ...others];
  const members = new Set((options.members ?? []).map((member) => member.id));
  if (options.bot ?? true)
    for (const { installation } of workspaces)
      if (installation) members.add(installation.botUser.id);
  const channel: Channel = {
    id,
    name: options.name ?? id.toLowerCase(),
    kind,
    workspaces,
    members,
    ...(options.made ? { made: options.made } : {}),
    archived: false,
    deleted: false,
    restricted: false,
    messages: [],
    ephemerals: [],
  };
  world.channels.set(id, channel);
  return channel;
};

/** Every person whom the people of a workspace may meet: those of Slack Connect channels too. */
export const findUser = (world: World, id: string): User | undefined => {
  for (const workspace of world.workspaces.values()) {
    const user = workspace.users.get(id);
    if (user) return user;
  }
  return undefined;
};

/** The direct conversation between a person and the app; made when it is first needed. */
export const directChannel = (world: World, workspace: Workspace, user: User): Channel => {
  const botId = workspace.installation?.botUser.id ?? '';
  for (const channel of world.channels.values())
    if (channel.kind === 'im' && channel.members.has(user.id) && channel.members.has(botId))
      return channel;
  return addChannel(world, workspace, { kind: 'im', members: [user] });
};
