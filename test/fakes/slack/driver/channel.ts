import { addMessage, channelEvent } from '../posting.ts';
import type { Channel, Ephemeral } from '../state.ts';
import { composed, type Composed } from './compose.ts';
import { addFile, type NewFile } from './files.ts';
import { FakeMessage } from './message.ts';
import type { Tools } from './tools.ts';
import type { FakeUser } from './user.ts';

export interface SayOptions {
  readonly thread?: FakeMessage;
  /** A reply that also goes to the channel. */
  readonly broadcast?: boolean;
  readonly files?: readonly NewFile[];
}

/** A channel, and what happens in it. */
export class FakeChannel {
  readonly state: Channel;
  readonly #tools: Tools;

  constructor(tools: Tools, state: Channel) {
    this.#tools = tools;
    this.state = state;
  }

  get id(): string {
    return this.state.id;
  }

  /** Its messages in order, threads included. */
  get messages(): readonly FakeMessage[] {
    return this.state.messages.map((message) => new FakeMessage(this.#tools, message));
  }

  /** What the app posted. */
  get posts(): readonly FakeMessage[] {
    return this.messages.filter(({ isOurs }) => isOurs);
  }

  /** What one person alone sees here: in a thread, only where somebody began it ("chat.postEphemeral"). */
  ephemeralsFor(user: FakeUser): readonly Ephemeral[] {
    const begun = new Set(
      this.messages
        .filter(({ ts, state }) => state.threadTs !== ts)
        .map(({ state }) => state.threadTs),
    );
    return this.state.ephemerals.filter(
      ({ to, threadTs }) => to === user.id && (threadTs === undefined || begun.has(threadTs)),
    );
  }

  say(user: FakeUser, words: Composed, options: SayOptions = {}): FakeMessage {
    const { world } = this.#tools;
    this.state.members.add(user.id);
    const files = (options.files ?? []).map((file) => addFile(world, user.state, file));
    const message = addMessage(world, this.state, {
      author: user.state,
      ...composed(words),
      files,
      threadTs: options.thread?.state.threadTs ?? options.thread?.ts,
      broadcast: options.broadcast ?? false,
      // Of other apps.
      botId: undefined,
    });
    return new FakeMessage(this.#tools, message);
  }

  archive(isArchived = true): void {
    this.state.archived = isArchived;
    this.#tell(isArchived ? 'channel_archive' : 'channel_unarchive');
  }

  rename(name: string): void {
    this.state.name = name;
    const channel = { id: this.id, name, created: 0 };
    channelEvent(this.#tools.world, this.state, { type: 'channel_rename', channel });
  }

  delete(): void {
    this.#tell('channel_deleted');
    this.state.deleted = true;
  }

  /** Converts it to a private channel. */
  makePrivate(): void {
    this.state.kind = 'private';
    this.#tell('channel_convert_to_private');
  }

  /** Removes the app; it gets `channel_left` and nothing more. */
  removeBot(): void {
    const { world } = this.#tools;
    const [workspace] = this.state.workspaces;
    const botId = workspace?.installation?.botUser.id ?? '';
    this.state.members.delete(botId);
    const type = this.state.kind === 'private' ? 'group_left' : 'channel_left';
    world.event({ workspaces: this.state.workspaces }, { type, channel: this.id });
  }

  /** Invites the app; the event names who did, where somebody is given ("member_joined_channel"). */
  inviteBot(by?: FakeUser): void {
    const [workspace] = this.state.workspaces;
    const botUser = workspace?.installation?.botUser;
    if (!botUser) throw new Error('the app is not installed');
    this.state.members.add(botUser.id);
    channelEvent(this.#tools.world, this.state, {
      type: 'member_joined_channel',
      user: botUser.id,
      channel: this.id,
      team: workspace.id,
      ...(by ? { inviter: by.id } : {}),
    });
  }

  async until(
    holds: (posts: readonly FakeMessage[]) => boolean,
    timeoutMs?: number,
  ): Promise<readonly FakeMessage[]> {
    return this.#tools.waiters.until(
      () => (holds(this.posts) ? this.posts : undefined),
      () =>
        this.messages
          .map(({ ts, shownAuthor, text }) => `${ts} ${shownAuthor}: ${text}`)
          .join('\n'),
      timeoutMs,
    );
  }

  #tell(type: string): void {
    channelEvent(this.#tools.world, this.state, { type, channel: this.id });
  }
}
