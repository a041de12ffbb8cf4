import type { MessageRef } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/channel-feed.ts';
import { replyPrefix, voiceNameOf } from './mirror-parts.ts';
import { footerOf, footersIn, isOfSource } from './footers.ts';
import type { RawMessage } from '../inbound/message-reader.ts';

/** One message of ours that holds a copy, or a part of it. */
export interface Piece {
  readonly id: string;
  readonly content: string;
  readonly part: number;
  readonly parts: number;
  readonly shared: boolean;
  /** The voice message stands with it, as a file. */
  readonly hasAudio: boolean;
  readonly webhookId: string | undefined;
  /** It has just the mark that is looked for. */
  readonly exact: boolean;
}

/** Whether it replies to this message. */
export const answers = (raw: RawMessage, source: MessageRef): boolean =>
  raw.message_reference?.message_id === source.id;

/** Which part of a reply it is that a text begins, if it does so with this mark. */
export const numberOf = (
  content: string,
  mark: string,
): { part: number; parts: number } | undefined => {
  const groups = /^ (?<part>\d+)\/(?<parts>\d+)\s/.exec(content.slice(mark.length))?.groups;
  const [part, parts] = [Number(groups?.['part'] ?? 1), Number(groups?.['parts'] ?? 1)];
  const prefix = replyPrefix(mark, part - 1, parts);
  // One mark may be the beginning of another.
  const isIt = content.startsWith(prefix) && /^(?:\s|$)/.test(content.slice(prefix.length));
  return isIt ? { part, parts } : undefined;
};

/** Which part of a reply a message is, by what it answers to and how it begins. */
const replyPiece = (raw: RawMessage, copy: Mirror): Piece | undefined => {
  const { id, content } = raw;
  if (!answers(raw, copy.source)) return undefined;
  for (const mark of [copy.mark, ...(copy.formerMarks ?? [])]) {
    const number = numberOf(content, mark);
    const plain = { shared: false, hasAudio: false, webhookId: undefined };
    if (number) return { id, content, ...number, ...plain, exact: mark === copy.mark };
  }
  return undefined;
};

/** Whether it is, or holds, the voice message of a copy of this message. */
export const isVoiceOf = ({ attachments }: RawMessage, source: MessageRef): boolean =>
  attachments.some(({ filename }) => filename === voiceNameOf(source));

const personaPiece = (raw: RawMessage, copy: Mirror): Piece | undefined => {
  const { id, content, webhook_id: webhookId } = raw;
  const footers = footersIn(content);
  const found = footers.find(({ line }) => isOfSource(line, copy.source));
  if (!found) return undefined;
  const { part, parts, line } = found;
  // What the bot posts in one message may come to hold other copies.
  const isApart = footers.length === 1 && (webhookId !== undefined || parts > 1);
  const shared = !isApart && raw.attachments.length === 0;
  const hasAudio = isVoiceOf(raw, copy.source);
  return { id, content, part, parts, shared, hasAudio, webhookId, exact: line === footerOf(copy) };
};

/** Which part of a copy a message of ours holds. */
export const pieceOf = (raw: RawMessage, copy: Mirror): Piece | undefined =>
  copy.as ? personaPiece(raw, copy) : replyPiece(raw, copy);
