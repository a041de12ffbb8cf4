import { ChannelType, MessageFlags } from '../codes.ts';
import { may, permissionBits, type PermissionName } from '../permissions.ts';
import { joinGuild, removeChannel, showThreads, updateChannel } from '../population.ts';
import { deleteMessages, openThread, postMessage } from '../posting.ts';
import type { Channel } from '../state.ts';
import type { PersonOptions, Recording, VoicePerson } from '../voice/index.ts';
import {
  changeVoice,
  enterVoice,
  followPermissions,
  leaveVoice,
  type VoiceFlags,
} from '../voice/states.ts';
import { addWebhook, webhooksOf } from '../webhooks.ts';
import { describeMessage, type FakeMessage } from './message.ts';
import { keepFile, renderPoll, voiceFile, type SayOptions } from './saying.ts';
import type { Tools } from './tools.ts';
import type { FakeUser } from './user.ts';
import type { FakeWebhook } from './webhook.ts';

export class FakeChannel {
  readonly #tools: Tools;
  readonly state: Channel;

  constructor(tools: Tools, state: Channel) {
    this.#tools = tools;
    this.state = state;
  }
  get id(): string {
    return this.state.id;
  }
  get name(): string {
    return this.state.name;
  }
  /** What people see now, oldest first; without what only one of them sees. */
  get messages(): readonly FakeMessage[] {
    return [...this.state.messages.values()].map((one) => this.#tools.message(one));
  }
  get last(): FakeMessage | undefined {
    return this.messages.at(-1);
  }
  get webhooks(): readonly FakeWebhook[] {
    return webhooksOf(this.#tools.world, this.state).map((one) => this.#tools.webhook(one));
  }
  /** How often the bot said that it is typing. */
  get typings(): number {
    return this.state.typings;
  }
  get locked(): boolean {
    return this.state.thread?.locked ?? false;
  }
  get threads(): readonly FakeChannel[] {
    return [...this.#tools.world.channels.values()]
      .filter((one) => one.thread !== undefined && one.parentId === this.id)
      .map((one) => this.#tools.channel(one));
  }
  get archived(): boolean {
    return this.state.thread?.archived ?? false;
  }
  canSee(user: FakeUser): boolean {
    return may(this.#tools.world, this.state, user.id, 'ViewChannel');
  }
  /** Resolves with the messages as soon as `holds` is true of them; fails with what is there. */
  async until(
    holds: (messages: readonly FakeMessage[]) => boolean,
    timeoutMs?: number,
  ): Promise<readonly FakeMessage[]> {
    return this.#tools.waiters.until(
      () => (holds(this.messages) ? this.messages : false),
      () => this.messages.map(describeMessage).join('\n') || '(no message)',
      timeoutMs,
    );
  }
  /** A person writes. Who is not on the server joins it first; who is banned cannot. */
  say(by: FakeUser, content = '', options: SayOptions = {}): FakeMessage {
    const { world } = this.#tools;
    const { guild } = this.state;
    if (guild && !guild.members.has(by.id)) joinGuild(world, guild, by.user, []);
    const { replyTo, forward, voice } = options;
    const files = (options.attachments ?? []).map((one) => keepFile(world, this.state, one));
    if (voice) files.push(keepFile(world, this.state, voiceFile(voice), voice));
    const source = forward?.state ?? replyTo?.state;
    const message = postMessage(world, {
      channel: this.state,
      author: by.user,
      content,
      attachments: files,
      embeds: [...(options.embeds ?? [])],
      components: [...(options.components ?? [])],
      stickers: (options.stickers ?? []).map((name) => ({
        id: world.clock.snowflake(),
        name,
        format_type: 1,
      })),
      poll: options.poll && renderPoll(options.poll),
      flags:
        (options.flags ?? 0) |
        (voice ? MessageFlags.IsVoiceMessage : 0) |
        (forward ? MessageFlags.HasSnapshot : 0),
      ...(options.type === undefined ? {} : { type: options.type }),
      reference: source && {
        type: forward ? 1 : 0,
        channelId: source.channel.id,
        messageId: source.id,
      },
      snapshot: forward?.json,
    });
    return this.#tools.message(message);
  }
  /** Somebody comes into a voice channel and can speak there; throws where they may not connect. */
  join(user: FakeUser, options?: PersonOptions): VoicePerson {
    return this.#tools.voice.join(this.state, user.user, options);
  }
  /** What the bot has played in this voice channel. */
  get recorded(): Recording {
    return this.#tools.voice.service.room(this.state).recording;
  }
  /** Who is in this voice channel, the bot included. */
  get present(): readonly FakeUser[] {
    return [...(this.state.guild?.voiceStates.values() ?? [])]
      .filter((one) => one.channel === this.state)
      .map((one) => this.#tools.user(one.user));
  }
  /** A moderator moves somebody, or the bot, here from another voice channel. */
  pull(user: FakeUser): void {
    enterVoice(this.#tools.world, this.state, user.user);
  }
  /** A moderator mutes, deafens or, on a stage, lets speak. */
  moderate(user: FakeUser, flags: Pick<VoiceFlags, 'mute' | 'deaf' | 'suppress'>): void {
    if (this.state.guild) changeVoice(this.#tools.world, this.state.guild, user.user, flags);
  }
  /** A moderator puts somebody, or the bot, out of voice. */
  disconnect(user: FakeUser): void {
    if (this.state.guild) leaveVoice(this.#tools.world, this.state.guild, user.user);
  }
  /** Moderators remove several at once (MESSAGE_DELETE_BULK). */
  purge(messages: readonly FakeMessage[]): void {
    deleteMessages(
      this.#tools.world,
      this.state,
      messages.map((one) => one.state),
    );
  }
  delete(): void {
    removeChannel(this.#tools.world, this.state);
  }
  rename(name: string): void {
    this.state.name = name;
    updateChannel(this.#tools.world, this.state);
  }
  restrictByAge(isRestricted: boolean): void {
    this.state.nsfw = isRestricted;
    updateChannel(this.#tools.world, this.state);
  }
  archive(locked = false): void {
    const { thread } = this.state;
    if (thread === undefined) throw new Error('only threads can be archived');
    thread.archived = true;
    thread.locked = locked;
    updateChannel(this.#tools.world, this.state);
  }
  reopen(): void {
    const { thread } = this.state;
    if (thread === undefined) throw new Error('only threads can be opened');
    Object.assign(thread, { archived: false, locked: false });
    updateChannel(this.#tools.world, this.state);
  }
  /** A webhook that a person made. */
  webhook(by: FakeUser, name = 'Integration'): FakeWebhook {
    return this.#tools.webhook(addWebhook(this.#tools.world, this.state, by.user, name));
  }
  /** A thread without a message, or a post of a forum with its first message. */
  startThread(
    by: FakeUser,
    name: string,
    content?: string,
    kind: 'public' | 'private' = 'public',
  ): FakeChannel {
    const { world } = this.#tools;
    const type = kind === 'public' ? ChannelType.PublicThread : ChannelType.PrivateThread;
    const thread = openThread(world, this.state, by.user, name, undefined, type);
    const channel = this.#tools.channel(thread);
    if (content !== undefined) channel.say(by, content);
    return channel;
  }
  /** Adds somebody to a thread. */
  add(user: FakeUser): void {
    this.state.thread?.memberIds.add(user.id);
  }
  /** Denies the bot what its roles allow, by an overwrite of this channel. */
  deny(...names: readonly PermissionName[]): void {
    this.#overwrite(names, 'deny');
  }
  allow(...names: readonly PermissionName[]): void {
    this.#overwrite(names, 'allow');
  }
  #overwrite(names: readonly PermissionName[], what: 'allow' | 'deny'): void {
    const { world } = this.#tools;
    const couldSee = may(world, this.state, world.bot.id, 'ViewChannel');
    let own = this.state.overwrites.find((one) => one.id === world.bot.id);
    if (own === undefined) {
      own = { id: world.bot.id, type: 1, allow: 0n, deny: 0n };
      this.state.overwrites.push(own);
    }
    const other = what === 'allow' ? 'deny' : 'allow';
    own[what] |= permissionBits(names);
    own[other] &= ~permissionBits(names);
    updateChannel(world, this.state);
    followPermissions(world, this.state, world.bot);
    if (!couldSee && may(world, this.state, world.bot.id, 'ViewChannel'))
      showThreads(world, this.state);
  }
}
