import { z } from 'zod';
import type { RawSlackMessage } from '../inbound/raw-message.ts';
import type { MessageRef } from '../../../src/model/place.ts';
import { messageKey } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/mirrors.ts';

/**
 * Metadata by which a mirror's messages are found again after a crash. Nobody sees it
 * (docs.slack.dev, "Message metadata").
 */
const EVENT_TYPE = 'dragoman_mirror';

const payload = z.object({
  source: z.string(),
  key: z.string(),
  part: z.number(),
  parts: z.number(),
});

export type MirrorMark = z.infer<typeof payload>;

export const markOf = (
  { source, key }: Pick<Mirror, 'source' | 'key'>,
  part: number,
  parts: number,
): { readonly event_type: string; readonly event_payload: MirrorMark } => ({
  event_type: EVENT_TYPE,
  event_payload: { source: messageKey(source), key, part, parts },
});

/** The mark of one of our messages; undefined for any other message. */
export const readMark = ({ metadata }: RawSlackMessage): MirrorMark | undefined =>
  metadata?.event_type === EVENT_TYPE ? payload.safeParse(metadata.event_payload).data : undefined;

export const isMarkOf = (mark: MirrorMark, source: MessageRef, key?: string): boolean =>
  mark.source === messageKey(source) && (key === undefined || mark.key === key);
