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

/** Which part of a reply a message is, by what it answers to and how it begins. */
const replyPiece = (raw: RawMessage, copy: Copy): Piece | undefined => {
  const { id, content } = raw;
  if (raw.message_reference?.message_id !== copy.source.id) return undefined;
  if (!content.startsWith(copy.mark)) return undefined;
  const number = /^ (?<part>\d+)\/(?<parts>\d+)\s/.exec(content.slice(copy.mark.length));
  const part = Number(number?.groups?.['part'] ?? 1);
  const parts = Number(number?.groups?.['parts'] ?? 1);
  if (!content.startsWith(replyPrefix(copy, part - 1, parts))) return undefined;
  return { id, content, part, parts, shared: false, webhookId: undefined, exact: true };
};

const personaPiece = (raw: RawMessage, copy: Copy): Piece | undefined => {
  const { id, content, webhook_id: webhookId } = raw;
  const footers = content.split('\n').flatMap((line) => readFooter(line) ?? []);
  const found = footers.find(({ line }) => isOfSource(line, copy.source));
  if (!found) return undefined;
  const { part, parts, line } = found;
  const alone = footers.length === 1 && (webhookId !== undefined || parts > 1);
  const shared = !alone && raw.attachments.length === 0;
  return { id, content, part, parts, shared, webhookId, exact: line === footerOf(copy) };
};

const stray = (channel: Channel, id: string, webhookId: string | undefined): Posted => ({
  channel,
  ids: [id],
  handle: writeHandle({ shared: false, voice: false, webhookId }),
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
  if (!any || whole.length < any.parts || (hasVoice && !voice)) {
    const all = [...pieces, ...(voice ? [{ id: voice.id, webhookId: voice.webhook_id }] : [])];
    return { strays: all.map(({ id, webhookId }) => stray(to, id, webhookId)) };
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
      const piece = copy.as ? personaPiece(raw, copy) : replyPiece(raw, copy);
      if (piece) trace.pieces.push(piece);
      else if (copy.as && raw.attachments[0]?.filename === voiceNameOf(copy.source))
        trace.voice = raw;
    }
  const found = new Map<Copy, Found>();
  for (const [copy, trace] of traces) {
    const one = conclude(to, copy, trace);
    if (one) found.set(copy, one);
  }
  return found;
};

/** Every message of ours that holds something of a source, whatever its mark. */
export const findAllOf = async (
  own: AsyncIterable<RawMessage>,
  from: Channel,
  source: MessageRef,
): Promise<readonly Posted[]> => {
  const found: Posted[] = [];
  for await (const raw of own) {
    const footers = raw.content.split('\n').flatMap((line) => readFooter(line) ?? []);
    const isCopy = footers.some(({ line }) => isOfSource(line, source));
    const isReply =
      raw.message_reference?.message_id === source.id && raw.interaction_metadata === undefined;
    const isVoice = raw.attachments[0]?.filename === voiceNameOf(source);
    if (!isCopy && !isReply && !isVoice) continue;
    const handle = {
      shared: isCopy && footers.length > 1,
      voice: false,
      webhookId: raw.webhook_id,
    };
    found.push({ channel: from, ids: [raw.id], handle: writeHandle(handle) });
  }
  return found;
};
