import { reactionOf } from '../../../../adapters/slack/rich-text/atoms.ts';
import { fieldsOf } from '../blocks.ts';
import { changeMessage, deleteFile, deleteMessage, pin, react } from '../posting.ts';
import { addFile, type NewFile } from './files.ts';
import { repliesOf } from '../render.ts';
import type { Json } from '../json.ts';
import type { Message } from '../state.ts';
import { composed, type Composed } from './compose.ts';
import type { Tools } from './tools.ts';
import type { FakeUser } from './user.ts';

/** A message, and what people do with it. */
export class FakeMessage {
  readonly state: Message;
  readonly #tools: Tools;

  constructor(tools: Tools, state: Message) {
    this.#tools = tools;
    this.state = state;
  }

  get ts(): string {
    return this.state.ts;
  }

  get text(): string {
    return this.state.text;
  }

  /** The words that readers see in its blocks, or its text where it has none. */
  get words(): string {
    const texts = fieldsOf(this.state.blocks ?? [], 'text');
    const words = texts.filter((each) => typeof each === 'string').join('');
    return words || this.state.text;
  }

  get blocks(): readonly Json[] {
    return this.state.blocks ?? [];
  }

  /** True for what the app under test posted. */
  get isOurs(): boolean {
    return this.state.botId !== undefined && !this.isDeleted;
  }

  /** The name that readers see above it. */
  get shownAuthor(): string {
    return this.state.username ?? this.state.author.displayName;
  }

  get isDeleted(): boolean {
    return this.state.tombstone || !this.state.channel.messages.includes(this.state);
  }

  get replies(): readonly FakeMessage[] {
    return repliesOf(this.state).map((reply) => new FakeMessage(this.#tools, reply));
  }

  /** The author edits it. */
  edit(words: Composed): void {
    changeMessage(this.#tools.world, this.state, composed(words));
  }

  /** Slack changes it without an edit, as when the preview of a link arrives. */
  unfurl(attachment: Json): void {
    const { text, blocks } = this.state;
    const attachments = [...(this.state.attachments ?? []), attachment];
    changeMessage(this.#tools.world, this.state, { text, blocks, attachments, isEdit: false });
  }

  /** Slack tells of a change that nobody sees, as when it detects the language. */
  touch(): void {
    const { text, blocks } = this.state;
    changeMessage(this.#tools.world, this.state, { text, blocks, isEdit: false });
  }

  /** The author also sends a reply to the channel, later than it was written. */
  broadcast(): void {
    const { text, blocks } = this.state;
    const change = { text, blocks, broadcast: true, isEdit: false };
    changeMessage(this.#tools.world, this.state, change);
  }

  /** The author deletes one of its files. */
  deleteFile(name: string): void {
    const file = this.state.files.find((each) => each.name === name);
    if (!file) throw new Error(`there is no file ${name}`);
    deleteFile(this.#tools.world, file);
  }

  /** The author adds files by an edit. */
  addFiles(...files: readonly NewFile[]): void {
    const { state } = this;
    state.files.push(...files.map((file) => addFile(this.#tools.world, state.author, file)));
    changeMessage(this.#tools.world, state, { text: state.text, blocks: state.blocks });
  }

  /** Names of the files that readers see. */
  get fileNames(): readonly string[] {
    return this.state.files.filter(({ deleted }) => !deleted).map(({ name }) => name);
  }

  delete(): void {
    deleteMessage(this.#tools.world, this.state);
  }

  react(user: FakeUser, name: string): void {
    react(this.#tools.world, this.state, user.state, name, true);
  }

  /** Who reacted to it, by emoji; `isOurs`: one of them is the app. */
  get reactions(): readonly { emoji: string; users: readonly string[]; isOurs: boolean }[] {
    const { workspaces } = this.state.channel;
    const bots = new Set(workspaces.map(({ installation }) => installation?.botUser.id));
    return Array.from(this.state.reactions, ([name, users]) => ({
      emoji: reactionOf(name),
      users: [...users],
      isOurs: [...users].some((user) => bots.has(user)),
    }));
  }

  get pinned(): boolean {
    return this.state.pinned;
  }

  pin(user: FakeUser, isPinned = true): void {
    pin(this.#tools.world, this.state, user.state, isPinned);
  }

  unreact(user: FakeUser, name: string): void {
    react(this.#tools.world, this.state, user.state, name, false);
  }
}
