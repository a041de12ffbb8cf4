import { z } from 'zod';
import type { RawSlackMessage } from '../inbound/raw-message.ts';
import { type Channel, type MessageRef, messageKey } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/mirrors.ts';

/**
 * Metadata by which a mirror's messages are found again after a crash. Nobody sees it
 * (docs.slack.dev, "Message metadata").
 */
const EVENT_TYPE = 'dragoman_mirror';
const THREAD_EVENT_TYPE = 'dragoman_thread';

/** A file of a mirror: its key among the source's files, and Slack's id of it. */
export const sharedFile = z.object({ key: z.string(), id: z.string() });

const payload = z.object({
  source: z.string(),
  key: z.string(),
  part: z.number(),
  parts: z.number(),
  /** The files of the mirror, which were uploaded before its texts were posted. */
  files: z.array(sharedFile).default([]),
});

export type SharedFile = z.infer<typeof sharedFile>;

export type MirrorMetadata = z.infer<typeof payload>;

/** @param part from 0 */
export const metadataOf = (
  { source, key }: Pick<Mirror, 'source' | 'key'>,
  part: number,
  parts: number,
  files: readonly SharedFile[],
): { readonly event_type: string; readonly event_payload: MirrorMetadata } => ({
  event_type: EVENT_TYPE,
  event_payload: {
    source: messageKey(source),
    key,
    part: part + 1,
    parts,
    files: files.map(({ key: of, id }) => ({ key: of, id })),
  },
});

/** The metadata of one of our messages; undefined for any other message. */
export const readMetadata = ({ metadata }: RawSlackMessage): MirrorMetadata | undefined =>
  metadata?.event_type === EVENT_TYPE ? payload.safeParse(metadata.event_payload).data : undefined;

/** True of what mirrors a message of another channel. */
export const isOfOtherChannel = (raw: RawSlackMessage, channel: Channel): boolean => {
  const source = readMetadata(raw)?.source;
  return source !== undefined && !source.startsWith(messageKey({ channel, id: '' }));
};

export const isMetadataOf = (metadata: MirrorMetadata, source: MessageRef, key?: string): boolean =>
  metadata.source === messageKey(source) && (key === undefined || metadata.key === key);

const threadPayload = z.object({ name: z.string() });

/** Metadata of the first message of a standing thread. */
export const threadMetadataOf = (name: string): object => ({
  event_type: THREAD_EVENT_TYPE,
  event_payload: { name } satisfies z.infer<typeof threadPayload>,
});

/** True for the first message of the standing thread of a name. */
export const isThreadOf = ({ metadata }: RawSlackMessage, name: string): boolean =>
  metadata?.event_type === THREAD_EVENT_TYPE &&
  threadPayload.safeParse(metadata.event_payload).data?.name === name;

const mirroredFile = sharedFile.extend({
  /** The message that shows it; undefined where that is not known yet. */
  ts: z.string().optional(),
});

export type MirroredFile = Readonly<z.infer<typeof mirroredFile>>;

const mirrorHandle = z.object({
  /** Number of messages with text, which come first; the others show files. */
  texts: z.number().int().min(0),
  /** The first message of the thread in which they stand. */
  threadTs: z.string().optional(),
  /** True where they stand in the channel, too. */
  broadcast: z.literal(true).optional(),
  /** The member whom its first message mentions. */
  mentions: z.string().optional(),
  files: z.array(mirroredFile).default([]),
});

/** The content of `Posted.handle`: what the messages of a mirror are. */
export type MirrorHandle = Readonly<Omit<z.infer<typeof mirrorHandle>, 'files'>> & {
  readonly files: readonly MirroredFile[];
};

export const handleOf = ({ files, ...rest }: MirrorHandle): string =>
  JSON.stringify({ ...rest, ...(files.length > 0 ? { files } : {}) });

const parsed = (handle: string | undefined): unknown => {
  try {
    return JSON.parse(handle ?? '');
  } catch {
    return undefined;
  }
};

/** Parses a handle; with an unknown one all messages count as texts. */
export const readHandle = (handle: string | undefined, messages: number): MirrorHandle => {
  const { data } = mirrorHandle.safeParse(parsed(handle));
  return data ?? { texts: messages, files: [] };
};
