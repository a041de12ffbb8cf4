import type { Channel, MessageRef, Posted } from '../../src/model.ts';
import type { Copy } from '../../src/watch/port.ts';
import { replyPrefix, voiceNameOf } from './copy-parts.ts';
import { footerOf, isOfSource, readFooter } from './footers.ts';
import { writeHandle } from './handles.ts';
import type { RawMessage } from './message.ts';

/** One message of ours that holds a copy, or a part of it. */
interface Piece {
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

/** What was found of one copy: all of it, or pieces that are of no use alone. */
export type Found = Standing | { readonly strays: readonly Posted[] };

export interface Standing {
  readonly posted: Posted;
  /** What its texts show. */
  readonly contents: readonly string[];
}

interface Trace {
  readonly pieces: Piece[];
  voice: RawMessage | undefined;
}

const answers = (raw: RawMessage, source: MessageRef): boolean =>
  raw.message_reference?.message_id === source.id && raw.interaction_metadata === undefined;

/** Which part of a reply it is that a text begins, if it does so with this mark. */
const numberOf = (content: string, mark: string): { part: number; parts: number } | undefined => {
  const groups = /^ (?<part>\d+)\/(?<parts>\d+)\s/.exec(content.slice(mark.length))?.groups;
  const [part, parts] = [Number(groups?.['part'] ?? 1), Number(groups?.['parts'] ?? 1)];
  const prefix = replyPrefix(mark, part - 1, parts);
  // One mark may be the beginning of another.
  const isIt = content.startsWith(prefix) && /^(?:\s|$)/.test(content.slice(prefix.length));
  return isIt ? { part, parts } : undefined;
};

/** Which part of a reply a message is, by what it answers to and how it begins. */
const replyPiece = (raw: RawMessage, copy: Copy): Piece | undefined => {
  const { id, content } = raw;
  if (!answers(raw, copy.source)) return undefined;
  for (const mark of [copy.mark, ...(copy.formerMarks ?? [])]) {
    const number = numberOf(content, mark);
    const plain = { shared: false, hasAudio: false, webhookId: undefined };
    if (number) return { id, content, ...number, ...plain, exact: mark === copy.mark };
  }
  return undefined;
};

const isVoiceOf = ({ attachments }: RawMessage, source: MessageRef): boolean =>
  attachments.some(({ filename }) => filename === voiceNameOf(source));

const personaPiece = (raw: RawMessage, copy: Copy): Piece | undefined => {
  const { id, content, webhook_id: webhookId } = raw;
  const footers = content.split('\n').flatMap((line) => readFooter(line) ?? []);
  const found = footers.find(({ line }) => isOfSource(line, copy.source));
  if (!found) return undefined;
  const { part, parts, line } = found;
  const alone = footers.length === 1 && (webhookId !== undefined || parts > 1);
  const shared = !alone && raw.attachments.length === 0;
  const hasAudio = isVoiceOf(raw, copy.source);
  return { id, content, part, parts, shared, hasAudio, webhookId, exact: line === footerOf(copy) };
};

/** Which part of a copy a message of ours holds. */
const pieceOf = (raw: RawMessage, copy: Copy): Piece | undefined =>
  copy.as ? personaPiece(raw, copy) : replyPiece(raw, copy);

const stray = (
  channel: Channel,
  { id, shared, webhookId }: Pick<Piece, 'id' | 'shared' | 'webhookId'>,
): Posted => ({
  channel,
  ids: [id],
  handle: writeHandle({ shared, voice: false, webhookId }),
});

const conclude = (to: Channel, copy: Copy, trace: Trace): Found | undefined => {
  const { voice } = trace;
  const exact = trace.pieces.filter((piece) => piece.exact);
  const pieces = exact.length > 0 ? exact : trace.pieces;
  const [any] = pieces;
  if (!any && !voice) return undefined;
  const whole = Array.from({ length: any?.parts ?? 0 }, (_, index) =>
    pieces.find(({ part }) => part === index + 1),
  ).filter((piece) => piece !== undefined);
  const hasVoice = copy.as && copy.content.files?.some((file) => file.voice !== undefined);
  const lacksVoice = hasVoice && !voice && !whole.some(({ hasAudio }) => hasAudio);
  if (!any || whole.length < any.parts || lacksVoice) {
    const spoken = voice && { id: voice.id, shared: false, webhookId: voice.webhook_id };
    return { strays: [...pieces, ...(spoken ? [spoken] : [])].map((each) => stray(to, each)) };
  }
  const { shared, webhookId } = any;
  const [first = any.id, ...rest] = [...(voice ? [voice.id] : []), ...whole.map(({ id }) => id)];
  return {
    posted: {
      channel: to,
      ids: [first, ...rest],
      handle: writeHandle({ shared, webhookId, voice: voice !== undefined }),
    },
    contents: whole.map(({ content }) => content),
  };
};

/** Looks for what an earlier try has posted of some copies, by their marks. */
export const findPosted = async (
  own: AsyncIterable<RawMessage>,
  to: Channel,
  copies: readonly Copy[],
): Promise<ReadonlyMap<Copy, Found>> => {
  const traces = new Map<Copy, Trace>(
    copies.map((copy) => [copy, { pieces: [], voice: undefined }]),
  );
  for await (const raw of own)
    for (const [copy, trace] of traces) {
      const piece = pieceOf(raw, copy);
      if (piece) trace.pieces.push(piece);
      else if (copy.as && isVoiceOf(raw, copy.source)) trace.voice = raw;
    }
  const found = new Map<Copy, Found>();
  for (const [copy, trace] of traces) {
    const one = conclude(to, copy, trace);
    if (one) found.set(copy, one);
  }
  return found;
};

/** The messages that hold parts of just this copy, of one writer, in the order of their posting. */
export const findParts = async (
  own: AsyncIterable<RawMessage>,
  copy: Copy,
  by: string | undefined,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const raw of own) {
    const piece = pieceOf(raw, copy);
    if (piece?.exact && !piece.shared && piece.webhookId === by) ids.unshift(raw.id);
  }
  return ids;
};

/** Every message of ours that holds something of a source, or replies to it with one of `marks`. */
export const findAllOf = async (
  own: AsyncIterable<RawMessage>,
  from: Channel,
  source: MessageRef,
  marks?: readonly string[],
): Promise<readonly Posted[]> => {
  const found: Posted[] = [];
  for await (const raw of own) {
    const footers = raw.content.split('\n').flatMap((line) => readFooter(line) ?? []);
    const isCopy = footers.some(({ line }) => isOfSource(line, source));
    const isReply = answers(raw, source);
    const isWanted = marks
      ? isReply && marks.some((mark) => numberOf(raw.content, mark))
      : isCopy || isReply || isVoiceOf(raw, source);
    if (!isWanted) continue;
    const handle = {
      shared: isCopy && footers.length > 1,
      voice: false,
      webhookId: raw.webhook_id,
    };
    found.push({ channel: from, ids: [raw.id], handle: writeHandle(handle) });
  }
  return found;
};
