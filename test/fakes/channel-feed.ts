import { AppError } from '../../src/errors.ts';
import type { Author, Message } from '../../src/model/message.ts';
import { FAKE_CAPABILITIES } from './platform.ts';
import type { Channel, MessageRef, Posted, Space } from '../../src/model/place.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { Mirror, WatchPort } from '../../src/ports/channel-feed.ts';

export const SPACE: Space = { platform: 'place', id: 'space' };
export const channel = (id: string, parentId?: string): Channel => ({
  space: SPACE,
  id,
  ...(parentId === undefined ? {} : { parentId }),
});

export const person = (id: string): Author => ({ id, name: id, kind: 'person' });
const OURSELVES: Author = { id: 'dragoman', name: 'Dragoman', kind: 'ourselves' };

/** A message of ours, with what it was made of. */
interface Shown {
  readonly message: Message;
  readonly copy?: Mirror;
}

/** What one call meets in place of doing its work, or after it: then the answer alone is lost. */
export interface PlaceFault {
  readonly call: 'copy' | 'recopy' | 'uncopy' | 'history' | 'read';
  readonly error: AppError;
  readonly after?: boolean;
}

/** A platform in memory whose channels can be watched. */
export interface WatchedPlace {
  readonly platform: Platform;
  readonly port: WatchPort;
  say(to: Channel, text: string, part?: Partial<Message>): Message;
  edit(ref: MessageRef, text: string): Message;
  remove(ref: MessageRef): void;
  /** What stands in a channel, oldest first. */
  texts(of: Channel): string[];
  messages(of: Channel): readonly Message[];
  /** Names of the files of our copies there. */
  files(of: Channel): string[];
  fail(...faults: PlaceFault[]): void;
  /** Does something in the middle of the next call of a kind. */
  during(call: PlaceFault['call'], run: () => Promise<unknown>): void;
  /** So many people react to a message with an emoji. */
  react(ref: MessageRef, emoji: string, people: number): void;
  /** What its people must still allow before a channel can be watched. */
  lack(...permissions: string[]): void;
  readonly calls: string[];
}

export const lost = (): AppError =>
  new AppError('unavailable', 'the answer was lost', { retryable: true });

export const createWatchedPlace = (): WatchedPlace => {
  const channels = new Map<string, Shown[]>();
  const reactions = new Map<string, number>();
  const faults: PlaceFault[] = [];
  const calls: string[] = [];
  const events: { call: PlaceFault['call']; run: () => Promise<unknown> }[] = [];
  let lacking: readonly string[] = [];
  let last = 0;

  const shownIn = ({ id }: Channel): Shown[] => {
    const shown = channels.get(id) ?? [];
    channels.set(id, shown);
    return shown;
  };
  const positionOf = (id: string): string => id.padStart(20, '0');
  const put = (to: Channel, part: Partial<Message>, copy?: Mirror): Message => {
    last = Math.max(last + 1, Date.now());
    const id = String(last);
    const message: Message = {
      ref: { channel: to, id },
      position: positionOf(id),
      author: person('ada'),
      text: '',
      files: [],
      stickers: [],
      ...part,
    };
    shownIn(to).push({ message, ...(copy ? { copy } : {}) });
    return message;
  };
  const find = ({ channel: { id: place }, id }: MessageRef): Shown | undefined =>
    channels.get(place)?.find(({ message }) => message.ref.id === id);
  const replace = (ref: MessageRef, text: string, copy?: Mirror): Message => {
    const shown = find(ref);
    if (!shown) throw new AppError('not-found', 'there is no such message');
    const message = { ...shown.message, text, edited: true };
    const all = shownIn(ref.channel);
    all[all.indexOf(shown)] = { message, ...(copy ? { copy } : {}) };
    return message;
  };
  const remove = (ref: MessageRef): void => {
    const all = shownIn(ref.channel);
    channels.set(
      ref.channel.id,
      all.filter(({ message }) => message.ref.id !== ref.id),
    );
  };
  const meet = (call: PlaceFault['call'], after: boolean): void => {
    if (!after) calls.push(call);
    const at = faults.findIndex((one) => one.call === call && (one.after ?? false) === after);
    const [fault] = at < 0 ? [] : faults.splice(at, 1);
    if (fault) throw fault.error;
  };
  const meanwhile = async (call: PlaceFault['call']): Promise<void> => {
    const at = events.findIndex((event) => event.call === call);
    const [event] = at < 0 ? [] : events.splice(at, 1);
    await event?.run();
  };
  const render = ({ as, mark, content, quote }: Mirror): string => {
    const quoted = quote ? `> ${quote.name}: ${quote.text}\n` : '';
    return as ? `${quoted}${as.name}: ${content.text} [${mark}]` : `${mark} ${content.text}`;
  };

  const port: WatchPort = {
    copiedFilesBytes: 1_000,
    resolve: (of) => of,
    positionAt: (timeMs) => positionOf(String(timeMs)),
    timeOf: (position) => Number(position),
    async *history(of, after) {
      await meanwhile('history');
      meet('history', false);
      for (const { message } of shownIn(of).slice()) if (message.position > after) yield message;
    },
    read: async (ref) => {
      await meanwhile('read');
      meet('read', false);
      return find(ref)?.message;
    },
    names: () => (kind, id) => `${kind}-${id}`,
    reactions: async (ref, emoji) => reactions.get(`${ref.id} ${emoji}`) ?? 0,
    async *copy(to, copies, { again }) {
      for (const copy of copies) {
        await meanwhile('copy');
        const marks = [copy.mark, ...(copy.formerMarks ?? [])];
        const isThis = (shown: Shown): boolean =>
          shown.copy?.source.id === copy.source.id &&
          (copy.as !== undefined || marks.includes(shown.copy.mark));
        const there = again ? shownIn(to).find(isThis) : undefined;
        if (!there) meet('copy', false);
        const { ref } = there
          ? replace(there.message.ref, render(copy), copy)
          : put(to, { author: OURSELVES, text: render(copy) }, copy);
        meet('copy', true);
        yield { channel: to, ids: [ref.id] };
      }
    },
    recopy: async (posted, copy) => {
      await meanwhile('recopy');
      meet('recopy', false);
      replace({ channel: posted.channel, id: posted.ids[0] }, render(copy), copy);
      meet('recopy', true);
      return posted;
    },
    uncopy: async (posted) => {
      await meanwhile('uncopy');
      meet('uncopy', false);
      remove({ channel: posted.channel, id: posted.ids[0] });
    },
    sweep: async (from, source, marks) => {
      for (const { message, copy } of shownIn(from))
        if (copy?.source.id === source.id && (marks?.includes(copy.mark) ?? true))
          remove(message.ref);
    },
    thread: async (of, name) => channel(`${of.id}/${name}`, of.id),
    missing: async () => lacking,
  };

  const post = async (to: Channel, text: string): Promise<Posted> => {
    const { ref } = put(to, { author: OURSELVES, text });
    return { channel: to, ids: [ref.id] };
  };

  return {
    port,
    platform: {
      name: SPACE.platform,
      capabilities: FAKE_CAPABILITIES,
      watch: port,
      post: (to, { text }) => post(to, text),
      edit: async (posted) => posted,
      delete: async () => undefined,
    },
    say: (to, text, part = {}) => put(to, { ...part, text }),
    edit: (ref, text) => replace(ref, text),
    remove,
    texts: (of) => shownIn(of).map(({ message }) => message.text),
    messages: (of) => shownIn(of).map(({ message }) => message),
    files: (of) =>
      shownIn(of).flatMap(({ copy }) => (copy?.content.files ?? []).map(({ name }) => name)),
    fail: (...more) => void faults.push(...more),
    during: (call, run) => void events.push({ call, run }),
    react: (ref, emoji, people) => void reactions.set(`${ref.id} ${emoji}`, people),
    lack: (...permissions) => {
      lacking = permissions;
    },
    calls,
  };
};
