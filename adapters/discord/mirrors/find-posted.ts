import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/channel-feed.ts';
import { footerOf, footersIn, isOfSource } from './footers.ts';
import { placed, type Placed } from './handles.ts';
import type { RawMessage } from '../inbound/message-reader.ts';
import { answers, isVoiceOf, numberOf, pieceOf, type Piece } from './pieces.ts';

/** A copy that stands, all of it. */
export interface FoundMirror {
  readonly placed: Placed;
  /** What its texts show. */
  readonly contents: readonly string[];
}

/** Pieces of a copy, that are of no use alone. */
interface FoundPieces {
  readonly strays: readonly Placed[];
}

/** What was met of one copy on the way through a channel. */
interface Trace {
  readonly pieces: Piece[];
  /** Its voice message, which is a message of its own. */
  voice: RawMessage | undefined;
}

/** All parts in their order, or none. */
const wholeOf = (pieces: readonly Piece[]): readonly Piece[] => {
  const inOrder = Array.from({ length: pieces[0]?.parts ?? 0 }, (_, index) =>
    pieces.find(({ part }) => part === index + 1),
  );
  return inOrder.every((piece) => piece !== undefined) ? inOrder : [];
};

const needsVoice = ({ as, content }: Mirror): boolean =>
  as !== undefined && (content.files ?? []).some((file) => file.voice !== undefined);

const conclude = (
  to: Channel,
  copy: Mirror,
  { pieces: all, voice }: Trace,
): FoundMirror | FoundPieces | undefined => {
  if (all.length === 0 && !voice) return undefined;
  const exact = all.filter((piece) => piece.exact);
  const pieces = exact.length > 0 ? exact : all;
  const texts = wholeOf(pieces);
  const [first] = texts;
  const isSpoken = voice !== undefined || texts.some(({ hasAudio }) => hasAudio);
  if (first && (isSpoken || !needsVoice(copy))) {
    const ids = [...(voice ? [voice.id] : []), ...texts.map(({ id }) => id)];
    const { shared, webhookId } = first;
    return {
      placed: placed(to, ids, { shared, voice: voice !== undefined, webhookId }),
      contents: texts.map(({ content }) => content),
    };
  }
  const spoken = voice ? [{ id: voice.id, shared: false, webhookId: voice.webhook_id }] : [];
  const strays = [...pieces, ...spoken].map(({ id, shared, webhookId }) =>
    placed(to, [id], { shared, voice: false, webhookId }),
  );
  return { strays };
};

/** Looks for what an earlier try has posted of some copies, by their marks. */
export const findPosted = async (
  own: AsyncIterable<RawMessage>,
  to: Channel,
  copies: readonly Mirror[],
): Promise<ReadonlyMap<Mirror, FoundMirror | FoundPieces>> => {
  const traces = new Map<Mirror, Trace>(
    copies.map((copy) => [copy, { pieces: [], voice: undefined }]),
  );
  for await (const raw of own)
    for (const [copy, trace] of traces) {
      const piece = pieceOf(raw, copy);
      if (piece) trace.pieces.push(piece);
      else if (copy.as && isVoiceOf(raw, copy.source)) trace.voice = raw;
    }
  const found = new Map<Mirror, FoundMirror | FoundPieces>();
  for (const [copy, trace] of traces) {
    const one = conclude(to, copy, trace);
    if (one) found.set(copy, one);
  }
  return found;
};

/** The messages that hold parts of just this copy, of one writer, in the order of their posting. */
export const findParts = async (
  own: AsyncIterable<RawMessage>,
  copy: Mirror,
  by: string | undefined,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const raw of own) {
    const piece = pieceOf(raw, copy);
    if (piece?.exact && !piece.shared && piece.webhookId === by) ids.unshift(raw.id);
  }
  return ids;
};

/** What the bot has posted of this copy alone, except in one message. */
export const findAlone = async (
  own: AsyncIterable<RawMessage>,
  copy: Mirror,
  except: string,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { id, content, webhook_id: webhookId } of own) {
    const [only, ...others] = footersIn(content);
    const isIt = only?.line === footerOf(copy) && others.length === 0 && webhookId === undefined;
    if (isIt && id !== except) ids.push(id);
  }
  return ids;
};

/** Every message of ours that holds something of a source, or replies to it with one of `marks`. */
export const findAllOf = async (
  own: AsyncIterable<RawMessage>,
  from: Channel,
  source: MessageRef,
  marks?: readonly string[],
): Promise<readonly Placed[]> => {
  const found: Placed[] = [];
  for await (const raw of own) {
    const footers = footersIn(raw.content);
    const isCopy = footers.some(({ line }) => isOfSource(line, source));
    const isReply = answers(raw, source);
    const isWanted = marks
      ? isReply && marks.some((mark) => numberOf(raw.content, mark))
      : isCopy || isReply || isVoiceOf(raw, source);
    if (!isWanted) continue;
    const shared = isCopy && footers.length > 1;
    found.push(placed(from, [raw.id], { shared, voice: false, webhookId: raw.webhook_id }));
  }
  return found;
};
