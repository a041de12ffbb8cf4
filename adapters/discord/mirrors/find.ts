import { ownPost, type OwnPost } from '../ids.ts';
import type { RawMessage } from '../inbound/message-reader.ts';
import { isVoiceMessage } from '../files.ts';
import type { OwnMessages } from './own-messages.ts';
import {
  footerOf,
  formOf,
  footersIn,
  isOfSource,
  labelText,
  partNumber,
  voiceNameOf,
} from './parts.ts';
import type { Channel, MessageRef, Posted } from '../../../src/model/place.ts';
import type { Mirror, OrphanOptions } from '../../../src/ports/mirrors.ts';

/** One of the bot's messages that holds a mirror, or a part of it. */
interface Piece {
  readonly id: string;
  readonly content: string;
  readonly part: number;
  readonly parts: number;
  readonly shared: boolean;
  /** True when the recording is attached to it as a file. */
  readonly hasAudio: boolean;
  readonly webhookId: string | undefined;
  /** True when it has exactly the label that is searched for. */
  readonly exact: boolean;
}

/** A complete mirror, or stray parts of one, which are of no use alone. */
export type FoundMirror =
  | { readonly post: OwnPost; readonly contents: readonly string[] }
  | { readonly strays: readonly OwnPost[] };

/** The key of a known reply, by the id of its message. */
type KeyOf = (id: string) => string | undefined;

const answers = (raw: Pick<RawMessage, 'message_reference'>, source: MessageRef): boolean =>
  raw.message_reference?.message_id === source.id;

/** The number of the part that a text begins, if it begins with this label. */
const partOf = (content: string, label: string): Pick<Piece, 'part' | 'parts'> | undefined => {
  const groups = /^ (?<part>\d+)\/(?<parts>\d+)\s/.exec(content.slice(label.length))?.groups;
  const [part, parts] = [Number(groups?.['part'] ?? 1), Number(groups?.['parts'] ?? 1)];
  const prefix = label + partNumber(part - 1, parts);
  // A label may be the beginning of another.
  const isIt = content.startsWith(prefix) && /^(?:\s|$)/.test(content.slice(prefix.length));
  return isIt ? { part, parts } : undefined;
};

/** The label in front of a reply: an emoji, or the name of a language in bold. */
const anyLabel = /^(?:\p{RGI_Emoji}|\*\*[^\n]+?\*\*)(?=\s|$)/v;

/** The mark of small letters, which a compact reply begins with. */
const SMALL = /^-# /;

/**
 * Recognises a reply by the message that it answers to; several replies to one message are told
 * apart by their labels and by their keys where these are known.
 */
const replyPiece = (
  { id, content, ...raw }: RawMessage,
  {
    source,
    key,
    label,
    blocks = [],
  }: Pick<Mirror, 'source' | 'key' | 'blocks'> & Partial<Pick<Mirror, 'label'>>,
  keyOf: KeyOf,
  others: readonly Posted[],
): Piece | undefined => {
  const isOthers = (keyOf(id) ?? key) !== key || others.some(({ ids }) => ids.includes(id));
  if (!answers(raw, source) || isOthers) return undefined;
  const words = content.replace(SMALL, '');
  const plain = { id, content, shared: false, hasAudio: false, webhookId: undefined };
  // A later part of a long reply may begin with the label of another of its texts.
  const later = blocks
    .map((block) => partOf(words, labelText(block.label)))
    .find((found) => found && found.part > 1);
  const exact = (label && partOf(words, labelText(label))) ?? later;
  if (exact) return { ...plain, ...exact, exact: true };
  // An older state of the same reply may have another label.
  const [former] = anyLabel.exec(words) ?? [];
  const part = former === undefined ? undefined : partOf(words, former);
  return part && { ...plain, ...part, exact: false };
};

/** True for the voice message of a mirror of this message, and for a message with it as a file. */
const isVoiceOf = ({ attachments }: RawMessage, source: MessageRef): boolean =>
  attachments.some(({ filename }) => filename === voiceNameOf(source));

const personaPiece = (raw: RawMessage, mirror: Mirror): Piece | undefined => {
  const { id, content, webhook_id: webhookId } = raw;
  const footers = footersIn(content);
  const found = footers.find(({ line }) => isOfSource(line, mirror.source));
  if (!found) return undefined;
  const { part, parts, line } = found;
  // A message that the bot posted in one part may be shared with other mirrors later.
  const isApart = footers.length === 1 && (webhookId !== undefined || parts > 1);
  const shared = !isApart && raw.attachments.length === 0;
  const hasAudio = isVoiceOf(raw, mirror.source);
  const exact = line === footerOf(mirror, formOf(line));
  return { id, content, part, parts, shared, hasAudio, webhookId, exact };
};

const wholeOf = (pieces: readonly Piece[]): readonly Piece[] => {
  const inOrder = Array.from({ length: pieces[0]?.parts ?? 0 }, (_, index) =>
    pieces.find(({ part }) => part === index + 1),
  );
  return inOrder.every((piece) => piece !== undefined) ? inOrder : [];
};

const needsVoice = ({ as, content }: Mirror): boolean =>
  as !== undefined && (content.files ?? []).some(isVoiceMessage);

const conclude = (
  to: Channel,
  mirror: Mirror,
  all: readonly Piece[],
  voice: RawMessage | undefined,
): FoundMirror | undefined => {
  if (all.length === 0 && !voice) return undefined;
  const exact = all.filter((piece) => piece.exact);
  const pieces = exact.length > 0 ? exact : all;
  const texts = wholeOf(pieces);
  const [first] = texts;
  const hasVoice = voice !== undefined || texts.some(({ hasAudio }) => hasAudio);
  if (first && (hasVoice || !needsVoice(mirror))) {
    const ids = [...(voice ? [voice.id] : []), ...texts.map(({ id }) => id)];
    const { shared, webhookId } = first;
    return {
      post: ownPost(to, ids, { shared, voice: voice !== undefined, webhookId }),
      contents: texts.map(({ content }) => content),
    };
  }
  const alone = voice ? [{ id: voice.id, shared: false, webhookId: voice.webhook_id }] : [];
  return {
    strays: [...pieces, ...alone].map(({ id, shared, webhookId }) =>
      ownPost(to, [id], { shared, voice: false, webhookId }),
    ),
  };
};

/**
 * Creates the search for mirrors among the bot's own messages, by footers and by the messages
 * replied to.
 */
export const createFinder = (ownMessages: OwnMessages, keyOf: KeyOf) => {
  const pieceOf = (
    raw: RawMessage,
    mirror: Mirror,
    others: readonly Posted[],
  ): Piece | undefined =>
    mirror.as ? personaPiece(raw, mirror) : replyPiece(raw, mirror, keyOf, others);

  return {
    /** Finds some mirrors that an earlier try posted, among the bot's messages in their target. */
    posted: async (
      to: Channel,
      mirrors: readonly Mirror[],
      messages: AsyncIterable<RawMessage>,
      others: readonly Posted[] = [],
    ): Promise<ReadonlyMap<Mirror, FoundMirror>> => {
      const traces = mirrors.map((mirror) => ({
        mirror,
        pieces: [] as Piece[],
        voice: undefined as RawMessage | undefined,
      }));
      for await (const raw of messages)
        for (const trace of traces) {
          const { mirror } = trace;
          const piece = pieceOf(raw, mirror, others);
          if (piece) trace.pieces.push(piece);
          else if (mirror.as && isVoiceOf(raw, mirror.source)) trace.voice = raw;
        }
      const found = new Map<Mirror, FoundMirror>();
      for (const { mirror, pieces, voice } of traces) {
        const one = conclude(to, mirror, pieces, voice);
        if (one) found.set(mirror, one);
      }
      return found;
    },

    /**
     * Finds the messages with parts of only this mirror that an earlier try added, by one writer, in
     * the order of posting.
     *
     * @param sinceMs when that try began at the earliest, ms since 1970
     */
    parts: async (
      { channel, handle }: OwnPost,
      mirror: Mirror,
      sinceMs: number,
    ): Promise<readonly string[]> => {
      const ids: string[] = [];
      for await (const raw of ownMessages.since(channel, [], sinceMs)) {
        const piece = pieceOf(raw, mirror, []);
        if (piece?.exact && !piece.shared && piece.webhookId === handle.webhookId)
          ids.unshift(raw.id);
      }
      return ids;
    },

    /**
     * Finds the messages that an earlier try of the bot posted for this mirror alone, except one.
     *
     * @param sinceMs when that try began at the earliest, ms since 1970
     */
    alone: async (
      channel: Channel,
      mirror: Mirror,
      except: string,
      sinceMs: number,
    ): Promise<readonly string[]> => {
      const ids: string[] = [];
      for await (const { id, content, webhook_id } of ownMessages.since(channel, [], sinceMs)) {
        const [only, ...more] = footersIn(content);
        const isIt = only?.line === footerOf(mirror) && more.length === 0;
        if (isIt && webhook_id === undefined && id !== except) ids.push(id);
      }
      return ids;
    },

    /** Finds every message of the bot with a mirror of a source, or only the replies for one key. */
    all: async (
      channel: Channel,
      source: MessageRef,
      { key, others = [] }: Pick<OrphanOptions, 'key' | 'others'>,
    ): Promise<readonly OwnPost[]> => {
      const found: OwnPost[] = [];
      for await (const raw of ownMessages.since(channel, [source], undefined)) {
        const footers = footersIn(raw.content);
        const isMirror = footers.some(({ line }) => isOfSource(line, source));
        const isSought =
          key === undefined
            ? !others.some(({ ids }) => ids.includes(raw.id)) &&
              (isMirror || answers(raw, source) || isVoiceOf(raw, source))
            : replyPiece(raw, { source, key }, keyOf, others) !== undefined;
        if (!isSought) continue;
        const shared = isMirror && footers.length > 1;
        const { id, webhook_id: webhookId } = raw;
        found.push(ownPost(channel, [id], { shared, voice: false, webhookId }));
      }
      return found;
    },
  };
};
export type Finder = ReturnType<typeof createFinder>;
