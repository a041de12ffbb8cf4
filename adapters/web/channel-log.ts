import { randomUUID } from 'node:crypto';
import type { EventStreams } from './event-streams.ts';
import { WEB_LIMITS } from './limits.ts';
import type { ChannelId, PageFile, ServerEvent, PageMessage } from './protocol.ts';

export interface Posting extends Omit<PageMessage, 'id' | 'sentAtMs' | 'onlyYou'> {
  /** The only member who sees it. */
  readonly onlyFor?: string;
  /** The member whose data it is. Default: the author. */
  readonly owner?: string;
  /** The text as it was written, where others have work to do on it. */
  readonly source?: string;
}

export interface LogEntry {
  readonly message: PageMessage;
  readonly onlyFor: string | undefined;
  readonly owner: string;
  readonly source: string;
  /** The bytes that are kept elsewhere because of it. */
  readonly elsewhereBytes: number;
}

/** The size of names, times and ids around the text, as JSON. */
const FRAME_BYTES = 500;

const sizeOf = ({ message: { html, use, files, controls }, source }: LogEntry): number =>
  html.length + source.length + JSON.stringify([use, files, controls]).length + FRAME_BYTES;

const weightOf = (entry: LogEntry): number => sizeOf(entry) + entry.elsewhereBytes;

export type ChannelLog = ReturnType<typeof createChannelLog>;

/**
 * The messages of the channels: the last of each, bounded in number and size. `dropFile` is called for each file
 * whose last message is gone, or changed to one without it.
 */
export const createChannelLog = (
  publish: EventStreams['publish'],
  now: () => number = Date.now,
  limits: { messages: number; bytes: number } = {
    messages: WEB_LIMITS.historyMessages,
    bytes: WEB_LIMITS.historyBytes,
  },
  dropFile: (id: string) => void = () => undefined,
) => {
  const entries = new Map<string, LogEntry>();
  let bytes = 0;

  const withFile = (fileId: string): LogEntry | undefined =>
    entries.values().find(({ message: { files } }) => files.some(({ id }) => id === fileId));

  const dropLone = (files: readonly PageFile[]): void => {
    for (const { id } of files) if (!withFile(id)) dropFile(id);
  };

  const inChannel = (channel: ChannelId): LogEntry[] =>
    [...entries.values()].filter(({ message }) => message.channel === channel);

  const forget = (id: string): boolean => {
    const entry = entries.get(id);
    if (!entry) return false;
    bytes -= weightOf(entry);
    entries.delete(id);
    dropLone(entry.message.files);
    return true;
  };

  const put = (entry: LogEntry): void => {
    const old = entries.get(entry.message.id);
    bytes += weightOf(entry) - (old ? weightOf(old) : 0);
    entries.set(entry.message.id, entry);
    if (old) dropLone(old.message.files);
    else {
      const [oldest, ...rest] = inChannel(entry.message.channel);
      if (oldest && rest.length >= limits.messages) forget(oldest.message.id);
    }
    for (const id of entries.keys()) {
      if (bytes <= limits.bytes) break;
      if (id !== entry.message.id) forget(id);
    }
  };

  const sees = ({ onlyFor }: LogEntry, memberId: string): boolean =>
    onlyFor === undefined || onlyFor === memberId;

  const show = (entry: LogEntry): void => {
    put(entry);
    const event: ServerEvent = { type: 'message', message: entry.message };
    publish(({ id }) => (sees(entry, id) ? event : undefined), sizeOf(entry));
  };

  return {
    add: ({ onlyFor, owner, source = '', ...shown }: Posting): LogEntry => {
      const message: PageMessage = {
        ...shown,
        id: randomUUID(),
        sentAtMs: now(),
        onlyYou: onlyFor !== undefined,
      };
      const entry = {
        message,
        onlyFor,
        owner: owner ?? shown.author.id,
        source,
        elsewhereBytes: 0,
      };
      show(entry);
      return entry;
    },
    /** The message that has a file; undefined where none has it any more. */
    withFile,
    /** Drops those of these files that no message has. */
    dropLone,
    find: (id: string): LogEntry | undefined => entries.get(id),
    /** The messages that are a member's data or for nobody else, and all that answers them, oldest first. */
    of: (memberId: string): readonly LogEntry[] => {
      const found = new Map<string, LogEntry>();
      for (const [id, entry] of entries) {
        const { replyTo = '' } = entry.message;
        if (entry.owner === memberId || entry.onlyFor === memberId || found.has(replyTo))
          found.set(id, entry);
      }
      return [...found.values()];
    },
    /** Drops the text that others would work on; what is shown stays. */
    dropSource: (id: string): void => {
      const entry = entries.get(id);
      if (entry) put({ ...entry, source: '', elsewhereBytes: 0 });
    },
    /** Counts `bytes` of a message that are kept elsewhere, in place of what was said of it before. */
    weigh: (id: string, elsewhereBytes: number): void => {
      const entry = entries.get(id);
      if (entry) put({ ...entry, elsewhereBytes });
    },
    /** Changes what stands there; undefined when it is gone, and the new files with it. */
    change: (id: string, part: Partial<PageMessage>): LogEntry | undefined => {
      const old = entries.get(id);
      if (!old) {
        dropLone(part.files ?? []);
        return undefined;
      }
      const entry = { ...old, message: { ...old.message, ...part } };
      show(entry);
      return entry;
    },
    remove: (id: string): void => {
      const entry = entries.get(id);
      if (!entry || !forget(id)) return;
      const event: ServerEvent = { type: 'removed', id };
      publish((reader) => (sees(entry, reader.id) ? event : undefined));
    },
    /** The messages that a member sees, oldest first. */
    visibleTo: (memberId: string): readonly PageMessage[] =>
      [...entries.values()].filter((entry) => sees(entry, memberId)).map(({ message }) => message),
    sees,
    inChannel,
  };
};
