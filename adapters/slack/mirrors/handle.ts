import { z } from 'zod';
import { sharedFile } from './metadata.ts';

const stored = z.object({
  texts: z.number().int().min(0),
  threadTs: z.string().optional(),
  broadcast: z.literal(true).optional(),
  files: z.array(sharedFile.extend({ ts: z.string().optional() })).optional(),
});

/** A file that a mirror shows. */
export interface MirroredFile {
  /** Key of the file among those of the source. */
  readonly key: string;
  /** Slack's id of it. */
  readonly id: string;
  /** The message that shows it; undefined where that is not known yet. */
  readonly ts?: string | undefined;
}

/** The content of `Posted.handle`: what the messages of a mirror are. */
export interface MirrorHandle {
  /** Number of messages with text, which come first; the others show files. */
  readonly texts: number;
  /** The first message of the thread in which they stand. */
  readonly threadTs?: string | undefined;
  /** True where they stand in the channel, too. */
  readonly broadcast?: true | undefined;
  readonly files: readonly MirroredFile[];
}

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
  const { data } = stored.safeParse(parsed(handle));
  return data ? { ...data, files: data.files ?? [] } : { texts: messages, files: [] };
};
