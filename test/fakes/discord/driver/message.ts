import { attachmentUrl } from '../cdn.ts';
import { Intent, MessageFlags } from '../codes.ts';
import type { Json } from '../faults.ts';
import { commandsIn, withCommandNames } from '../mentions.ts';
import { deleteMessage, editMessage, emitIn, openThread, setPinned } from '../posting.ts';
import { renderMember, renderMessage } from '../render.ts';
import type { Attachment, Message, User } from '../state.ts';
import type { FakeChannel } from './channel.ts';
import type { Tools } from './tools.ts';
import type { FakeUser } from './user.ts';

/** One message as people see it now; its getters follow every change. */
export class FakeMessage {
  readonly #tools: Tools;
  readonly state: Message;

  constructor(tools: Tools, state: Message) {
    this.#tools = tools;
    this.state = state;
  }
  get id(): string {
    return this.state.id;
  }
  get channel(): FakeChannel {
    return this.#tools.channel(this.state.channel);
  }
  /** The name shown: a webhook's where one wrote it. */
  get author(): string {
    return this.state.webhook?.name ?? this.state.author.name;
  }
  get authorId(): string {
    return this.state.webhook?.id ?? this.state.author.id;
  }
  get avatarUrl(): string | undefined {
    return this.state.webhook?.avatarUrl;
  }
  get webhookId(): string | undefined {
    return this.state.webhook?.id;
  }
  /** With commands to press as code; a mention of what is no command stays as it was written. */
  get content(): string {
    return withCommandNames(this.#tools.world, this.state.content);
  }
  /** The paths of the commands that people can press in it. */
  get pressable(): readonly string[] {
    return commandsIn(this.#tools.world, this.state.content);
  }
  get type(): number {
    return this.state.type;
  }
  get flags(): number {
    return this.state.flags;
  }
  get ephemeral(): boolean {
    return (this.state.flags & MessageFlags.Ephemeral) !== 0;
  }
  /** With the bytes, and an address that is fresh at each look. */
  get attachments(): readonly (Attachment & { readonly url: string })[] {
    return this.state.attachments.map((one) => ({
      ...one,
      url: attachmentUrl(this.#tools.world, one),
    }));
  }
  get embeds(): readonly Json[] {
    return this.state.embeds;
  }
  get components(): readonly Json[] {
    return this.state.components;
  }
  get replyTo(): string | undefined {
    return this.state.reference?.type === 0 ? this.state.reference.messageId : undefined;
  }
  get edited(): boolean {
    return this.state.edits > 0;
  }
  get edits(): number {
    return this.state.edits;
  }
  get pinned(): boolean {
    return this.state.pinned;
  }
  get deleted(): boolean {
    return this.state.deleted;
  }
  /** Emoji with the ids of who reacted. */
  get reactions(): readonly { readonly emoji: string; readonly users: readonly string[] }[] {
    return [...this.state.reactions.values()].map((one) => ({
      emoji: one.emoji.name,
      users: [...one.users],
    }));
  }
  get thread(): FakeChannel | undefined {
    return this.state.thread && this.#tools.channel(this.state.thread);
  }
  get url(): string {
    const { channel, id } = this.state;
    return `https://discord.com/channels/${channel.guild?.id ?? '@me'}/${channel.id}/${id}`;
  }
  /** As the API gives it to an application that may read it. */
  get json(): Json {
    return renderMessage(this.#tools.world, this.state, true);
  }
  edit(content: string): void {
    editMessage(this.#tools.world, this.state, { content });
  }
  delete(): void {
    deleteMessage(this.#tools.world, this.state);
  }
  /** A MESSAGE_UPDATE that is no edit: a link found its preview. */
  resolveEmbeds(
    embeds: Json[] = [{ type: 'link', url: 'https://example.org/', title: 'Example' }],
  ): void {
    editMessage(this.#tools.world, this.state, { embeds, stamped: false });
  }
  /** An update that changes nothing and steps back in `edited_timestamp`, as Discord's at times do. */
  echo(): void {
    if (this.state.editedAt !== undefined) this.state.editedAt -= 1000;
    editMessage(this.#tools.world, this.state, { stamped: false });
  }
  pin(isPinned = true): void {
    setPinned(this.#tools.world, this.state, isPinned);
  }
  /** Its files answer 404 from now on. */
  loseFiles(): void {
    for (const one of this.state.attachments) one.available = false;
  }
  startThread(by: FakeUser, name: string): FakeChannel {
    const { world } = this.#tools;
    return this.#tools.channel(openThread(world, this.state.channel, by.user, name, this.state));
  }
  react(by: FakeUser, emoji: string): void {
    const { reactions } = this.state;
    const known = reactions.get(emoji) ?? { emoji: { id: null, name: emoji }, users: new Set() };
    known.users.add(by.id);
    reactions.set(emoji, known);
    this.#tellReaction('MESSAGE_REACTION_ADD', by.user, emoji);
  }
  unreact(by: FakeUser, emoji: string): void {
    const known = this.state.reactions.get(emoji);
    if (!known?.users.delete(by.id)) throw new Error(`${by.name} has not reacted with ${emoji}`);
    if (known.users.size === 0) this.state.reactions.delete(emoji);
    this.#tellReaction('MESSAGE_REACTION_REMOVE', by.user, emoji);
  }
  #tellReaction(t: string, by: User, emoji: string): void {
    const { channel, author } = this.state;
    const member = channel.guild?.members.get(by.id);
    const bit = channel.guild ? Intent.GuildMessageReactions : Intent.DirectMessageReactions;
    emitIn(this.#tools.world, channel, t, bit, () => ({
      user_id: by.id,
      channel_id: channel.id,
      message_id: this.id,
      message_author_id: author.id,
      ...(channel.guild ? { guild_id: channel.guild.id } : {}),
      ...(member && t === 'MESSAGE_REACTION_ADD' ? { member: renderMember(member) } : {}),
      emoji: { id: null, name: emoji },
      burst: false,
      type: 0,
    }));
  }
}

/** A line for the report of a wait that was in vain. */
export const describeMessage = (one: FakeMessage): string => {
  const marks = [
    one.edited ? 'edited' : '',
    one.replyTo ? `reply to ${one.replyTo}` : '',
    one.thread ? 'thread' : '',
    ...one.attachments.map((file) => file.name),
  ].filter((mark) => mark !== '');
  return `${one.id} ${one.author}: ${JSON.stringify(one.content)} ${marks.join(', ')}`;
};
