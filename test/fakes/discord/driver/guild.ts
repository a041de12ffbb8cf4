import { ChannelType } from '../codes.ts';
import { BOT, permissionBits, type PermissionName } from '../permissions.ts';
import {
  addChannel,
  addRole,
  banMember,
  inviteBot,
  joinGuild,
  leaveGuild,
  removeBot,
  renameGuild,
  setOutage,
  updateMember,
  updateRole,
} from '../population.ts';
import type { Channel, Guild, Member, Role } from '../state.ts';
import type { FakeChannel } from './channel.ts';
import type { Tools } from './tools.ts';
import type { FakeUser } from './user.ts';
import type { FakeWebhook } from './webhook.ts';

export interface ChannelOptions {
  readonly name?: string;
  readonly type?: 'text' | 'voice' | 'stage' | 'announcement' | 'forum' | 'media' | 'category';
  readonly parent?: FakeChannel;
  /** Of a voice channel: how many may be there. */
  readonly userLimit?: number;
  /** Overwrites, by `everyone`, `bot`, or the id of a role or member. */
  readonly permissions?: Readonly<
    Record<
      string,
      { readonly allow?: readonly PermissionName[]; readonly deny?: readonly PermissionName[] }
    >
  >;
}

const CHANNEL_TYPES = {
  text: ChannelType.GuildText,
  voice: ChannelType.GuildVoice,
  stage: ChannelType.GuildStageVoice,
  announcement: ChannelType.GuildAnnouncement,
  forum: ChannelType.GuildForum,
  media: ChannelType.GuildMedia,
  category: ChannelType.GuildCategory,
};

export class FakeGuild {
  readonly #tools: Tools;
  readonly state: Guild;

  constructor(tools: Tools, state: Guild) {
    this.#tools = tools;
    this.state = state;
  }
  get id(): string {
    return this.state.id;
  }
  get name(): string {
    return this.state.name;
  }
  get owner(): FakeUser {
    const user = this.#tools.world.users.get(this.state.ownerId);
    if (user === undefined) throw new Error('a server has an owner');
    return this.#tools.user(user);
  }
  get webhooks(): readonly FakeWebhook[] {
    return [...this.#tools.world.webhooks.values()]
      .filter((one) => one.channel.guild === this.state)
      .map((one) => this.#tools.webhook(one));
  }
  /** Its channels in the order in which they were made, without categories and threads. */
  get channels(): readonly FakeChannel[] {
    return this.#channels(({ type, thread }) => !thread && type !== CHANNEL_TYPES.category);
  }
  get threads(): readonly FakeChannel[] {
    return this.#channels(({ thread }) => thread !== undefined);
  }
  #channels(holds: (state: Channel) => boolean): readonly FakeChannel[] {
    return [...this.#tools.world.channels.values()]
      .filter((one) => one.guild === this.state && holds(one))
      .map((one) => this.#tools.channel(one));
  }
  channel(options: ChannelOptions = {}): FakeChannel {
    const { world } = this.#tools;
    const overwrites = Object.entries(options.permissions ?? {}).map(([who, rights]) => {
      const id = who === 'everyone' ? this.id : who === 'bot' ? world.bot.id : who;
      const type: 0 | 1 = this.state.roles.has(id) ? 0 : 1;
      return {
        id,
        type,
        allow: permissionBits(rights.allow ?? []),
        deny: permissionBits(rights.deny ?? []),
      };
    });
    return this.#tools.channel(
      addChannel(world, {
        type: CHANNEL_TYPES[options.type ?? 'text'],
        guild: this.state,
        overwrites,
        ...(options.name === undefined ? {} : { name: options.name }),
        ...(options.userLimit === undefined ? {} : { userLimit: options.userLimit }),
        ...(options.parent === undefined ? {} : { parentId: options.parent.id }),
      }),
    );
  }
  role(name: string, permissions: readonly PermissionName[] = []): Role {
    return addRole(this.#tools.world, this.state, name, permissions);
  }
  join(user: FakeUser, roles: readonly Role[] = []): Member {
    return joinGuild(
      this.#tools.world,
      this.state,
      user.user,
      roles.map((one) => one.id),
    );
  }
  /** Gives somebody, or the bot, a role. */
  give(user: FakeUser, role: Role): void {
    const member = this.state.members.get(user.id);
    if (member === undefined) throw new Error(`${user.name} is not on ${this.name}`);
    member.roles.push(role.id);
    updateMember(this.#tools.world, this.state, member);
  }
  leave(user: FakeUser): void {
    leaveGuild(this.#tools.world, this.state, user.user);
  }
  /** Gives the server another name. */
  renameTo(name: string): void {
    renameGuild(this.#tools.world, this.state, name);
  }
  rename(user: FakeUser, nick: string | null): void {
    const member = this.state.members.get(user.id);
    if (member === undefined) throw new Error(`${user.name} is not on ${this.name}`);
    member.nick = nick;
    updateMember(this.#tools.world, this.state, member);
  }
  ban(user: FakeUser, options: { readonly deleteMessageSeconds?: number } = {}): void {
    banMember(this.#tools.world, this.state, user.user, options.deleteMessageSeconds ?? 0);
  }
  /** The server is unavailable for the gateway; `recover` ends it. */
  outage(): void {
    setOutage(this.#tools.world, this.state, true);
  }
  recover(): void {
    setOutage(this.#tools.world, this.state, false);
  }
  kickBot(): void {
    removeBot(this.#tools.world, this.state);
  }
  addBot(permissions: readonly PermissionName[] = BOT, by?: FakeUser): void {
    const { world } = this.#tools;
    inviteBot(world, this.state, permissions, world.clock.now(), by?.id);
  }
  /** Makes a channel the one of the server's own messages. */
  setSystemChannel({ id }: FakeChannel): void {
    this.state.systemChannelId = id;
  }
  /** Replaces what everybody may do; the bot's own role stays. */
  setEveryonePermissions(names: readonly PermissionName[]): void {
    this.#setRole(this.id, permissionBits(names));
  }
  /** Replaces what the bot's own role allows; what everybody may do stays. */
  setBotPermissions(names: readonly PermissionName[]): void {
    const [own] = this.state.members.get(this.#tools.world.bot.id)?.roles ?? [];
    this.#setRole(own ?? '', permissionBits(names));
  }
  /** Replaces what a role allows. */
  setPermissions(role: Role, names: readonly PermissionName[]): void {
    this.#setRole(role.id, permissionBits(names));
  }
  /** Takes a permission from everybody and from the bot. */
  revoke(...names: readonly PermissionName[]): void {
    const bits = permissionBits(names);
    for (const role of this.state.roles.values()) this.#setRole(role.id, role.permissions & ~bits);
  }
  #setRole(id: string, permissions: bigint): void {
    const role = this.state.roles.get(id);
    if (role === undefined) throw new Error('the bot is not on this server');
    role.permissions = permissions;
    updateRole(this.#tools.world, this.state, role);
  }
}
