import type { MessageRef } from '../../../src/model/place.ts';
import type { OutgoingFile } from '../../../src/model/file.ts';
import { plainLine } from '../../../src/text/markup/plain-line.ts';
import { withoutSpans } from '../../../src/text/markup/spans.ts';
import { splitMarkdown } from '../../../src/text/split/split-markdown.ts';
import type { Mirror } from '../../../src/ports/channel-feed.ts';
import { footerOf, tagOf, withoutFooters } from './footers.ts';
import { linkTo, PLATFORM } from '../ids.ts';
import { CONTENT_CHARS, FILES, WEBHOOK_NAME_CHARS } from '../limits.ts';
import { inFront, voicePart, type Part } from '../outbound/render.ts';
import type { Section } from './sections.ts';

/** Room for ` 10/12`, a line break, and the backslash that escapes a line which looks like a footer. */
const NUMBER_ROOM = 12;
const QUOTE_CHARS = 100;

/** Who writes a copy: a webhook has the person's name and picture, the bot says the name. */
export type Writer = 'webhook' | 'bot';

const numbered = (index: number, count: number): string =>
  count > 1 ? ` ${index + 1}/${count}` : '';

const line = (text: string, chars: number): string =>
  plainLine(text, chars).replaceAll('://', ':\u200B//');

const quoteLine = ({ quote }: Mirror): string => {
  if (!quote) return '';
  const said = `**${line(quote.name, WEBHOOK_NAME_CHARS)}**: ${line(quote.text, QUOTE_CHARS)}`;
  return quote.ref.channel.space.platform === PLATFORM
    ? `-# ↪ [${said}](<${linkTo(quote.ref.channel, quote.ref.id)}>)\n`
    : `-# ↪ ${said}\n`;
};

/** What somebody says, as the bot tells it. */
export const named = (name: string, text: string): string =>
  inFront(`**${line(name, WEBHOOK_NAME_CHARS) || '…'}**:`, text);

const begin = (copy: Mirror, by: Writer, text: string): string =>
  quoteLine(copy) + (by === 'bot' && copy.as ? named(copy.as.name, text) : text);

/** The name under which a copy's voice message can be found again. */
export const voiceNameOf = (source: MessageRef): string => `${tagOf(source)}.ogg`;

const isVoice = (file: OutgoingFile): boolean => file.voice !== undefined;

const voicePartsOf = (copy: Mirror): Part[] =>
  (copy.content.files ?? [])
    .filter(isVoice)
    .slice(0, 1)
    .map((file) => voicePart({ ...file, name: voiceNameOf(copy.source) }));

/** Where voice messages are not allowed, what was spoken stands with its words as a file. */
export const withoutVoice = (copy: Mirror): Mirror => ({
  ...copy,
  content: {
    ...copy.content,
    files: (copy.content.files ?? []).map((file) =>
      isVoice(file)
        ? { name: voiceNameOf(copy.source), mediaType: file.mediaType, bytes: file.bytes }
        : file,
    ),
  },
});

/** Texts as messages; files stand with the last one. No message of a person has more than ten. */
const withFiles = (texts: readonly string[], files: readonly OutgoingFile[]): Part[] =>
  texts.map((content, index) => ({
    content,
    files: index === texts.length - 1 ? files.slice(0, FILES) : [],
  }));

/** The messages of a copy under somebody's name: a voice message first, then at least one text. */
export const personaParts = (
  copy: Mirror,
  by: Writer,
): { readonly voice: readonly Part[]; readonly texts: readonly Part[] } => {
  const footer = footerOf(copy);
  const split = splitMarkdown(
    withoutFooters(copy.content.text),
    CONTENT_CHARS - footer.length - NUMBER_ROOM,
    { firstRoom: begin(copy, by, '').length },
  );
  // Once more: a cut makes lines of its own.
  const pieces = split.length > 0 ? split.map(withoutFooters) : [''];
  const texts = pieces.map((piece, index) => {
    const begun = index > 0 ? piece : begin(copy, by, piece);
    return [begun.trimEnd(), footer + numbered(index, pieces.length)].filter(Boolean).join('\n');
  });
  const files = (copy.content.files ?? []).filter((file) => !isVoice(file));
  return { voice: voicePartsOf(copy), texts: withFiles(texts, files) };
};

export const replyPrefix = (mark: string, index: number, count: number): string =>
  `${mark}${numbered(index, count)}`;

/** The messages of a copy as a reply, each with its mark in front. */
export const replyParts = (copy: Mirror): readonly Part[] => {
  const split = splitMarkdown(copy.content.text, CONTENT_CHARS - copy.mark.length - NUMBER_ROOM);
  const pieces = split.length > 0 ? split : [''];
  const texts = pieces.map((piece, index) =>
    inFront(replyPrefix(copy.mark, index, pieces.length), piece).trimEnd(),
  );
  return withFiles(texts, copy.content.files ?? []);
};

const fences = /```/g;
/** Quotes all that follows, up to the message's end. */
const endlessQuote = /^\s*>>> /m;

/** Looks like another person's part of the message. */
const nameInFront = /^[^\S\n]*\*\*[^\n]*:/m;
/** What is left of markup without a partner, which a neighbour's text could be. */
const loneMarkers = /[*`]|~~|\|\||__|(?<!\w)_|_(?!\w)|\[[^[\]]*$/;

const needsOwnMessage = ({ files = [], text }: Mirror['content']): boolean =>
  files.length > 0 ||
  endlessQuote.test(text) ||
  nameInFront.test(text) ||
  loneMarkers.test(withoutSpans(text));

/** A copy as one of several in a message; undefined for one that needs a message of its own. */
export const sectionOf = (copy: Mirror, by: Writer): Section | undefined => {
  if (needsOwnMessage(copy.content)) return undefined;
  const open = (copy.content.text.match(fences)?.length ?? 0) % 2 === 1;
  const text = open ? `${copy.content.text}\n\`\`\`` : copy.content.text;
  const { texts } = personaParts({ ...copy, content: { text } }, by);
  const [only, ...more] = texts;
  return only && more.length === 0 ? { footer: footerOf(copy), text: only.content } : undefined;
};
