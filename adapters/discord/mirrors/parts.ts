import { hash } from 'node:crypto';
import { linkTo, PLATFORM } from '../ids.ts';
import { CONTENT_CHARS, FILES, WEBHOOK_NAME_CHARS } from '../limits.ts';
import { inFront, type Part, voicePart } from '../outbound/render.ts';
import type { OutgoingFile } from '../../../src/model/file.ts';
import type { MessageRef } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/mirrors.ts';
import { plainLine } from '../../../src/text/markup/plain-line.ts';
import { withoutSpans } from '../../../src/text/markup/spans.ts';
import { splitMarkdown } from '../../../src/text/split/split-markdown.ts';

const TAG_CHARS = 10;

/** A short name of a message, always the same for it. */
export const tagOf = ({ channel, id }: MessageRef): string =>
  hash('sha256', JSON.stringify([channel.space.platform, channel.id, id])).slice(0, TAG_CHARS);

/**
 * The end of the footer of each mirror of this message; a message of another platform has no link
 * here.
 */
const endOf = (source: MessageRef): string =>
  source.channel.space.platform === PLATFORM
    ? `](<${linkTo(source.channel, source.id)}>)`
    : ` · \`${tagOf(source)}\``;

/**
 * The last line of a mirror under a person's name. It names the source to people and to this
 * program: webhooks have no nonce, so messages whose response was lost are found by it.
 */
export const footerOf = ({ label, source }: Pick<Mirror, 'label' | 'source'>): string =>
  source.channel.space.platform === PLATFORM
    ? `-# [${plainLine(label)}${endOf(source)}`
    : `-# ${plainLine(label)}${endOf(source)}`;

const footerLine =
  /^(?<line>-# (?:\[[^\n]*\]\(<https:\/\/discord\.com\/channels\/[^>\s]+>\)|[^\n]* · `[0-9a-f]{10}`))(?: (?<part>\d+)\/(?<parts>\d+))?$/;

export interface Footer {
  readonly line: string;
  /** The number of this part, from 1, and of all parts, for a mirror in several parts. */
  readonly part: number;
  readonly parts: number;
}

/** Parses a footer; undefined for any other line. */
export const readFooter = (line: string): Footer | undefined => {
  const groups = footerLine.exec(line)?.groups;
  if (!groups?.['line']) return undefined;
  const { line: found, part = '1', parts = '1' } = groups;
  return { line: found, part: Number(part), parts: Number(parts) };
};

/** The footers in a message: one for each mirror in it, or for a part of one. */
export const footersIn = (content: string): readonly Footer[] =>
  content.split('\n').flatMap((line) => readFooter(line) ?? []);

/** True for the footer of any mirror of this message, whatever its label. */
export const isOfSource = (line: string, source: MessageRef): boolean =>
  line.endsWith(endOf(source));

/** Escapes lines of other people that look like a footer. */
export const withoutFooters = (text: string): string =>
  text
    .split('\n')
    .map((line) => (readFooter(line.trim()) ? `\\${line.trimStart()}` : line))
    .join('\n');

/**
 * One of several mirrors in a message, each ending with its footer; also the last one left of
 * several.
 */
export interface Section {
  readonly footer: string;
  /** The text, footer included. */
  readonly text: string;
}

export const readSections = (content: string): readonly Section[] => {
  const sections: Section[] = [];
  let lines: string[] = [];
  for (const line of content.split('\n')) {
    lines.push(line);
    const found = readFooter(line);
    if (!found) continue;
    sections.push({ footer: found.line, text: lines.join('\n') });
    lines = [];
  }
  return sections;
};

export const writeSections = (sections: readonly Section[]): string =>
  sections.map(({ text }) => text).join('\n');

/** Replaces the section of the same source; undefined when there is none. */
export const replaceSection = (
  sections: readonly Section[],
  section: Section,
  source: MessageRef,
): readonly Section[] | undefined => {
  const at = sections.findIndex(({ footer: line }) => isOfSource(line, source));
  return at < 0 ? undefined : sections.with(at, section);
};

export const withoutSource = (
  sections: readonly Section[],
  source: MessageRef,
): readonly Section[] => sections.filter(({ footer: line }) => !isOfSource(line, source));

/** Matches a quote, or the note that a message was forwarded, above a mirror's text. */
const leading = /^(?:-# ↪[^\n]*(?:\n|$))+/;
const nameAhead = /^\*\*(?<name>(?:\\.|[^\\*\n])+)\*\*:\s?/;
const escaped = /\\([\\`*_~|<>[\]()#])/g;

/**
 * The text of one of the bot's messages, without the parts that a mirror adds around it, and the
 * name that the bot puts before it.
 *
 * @param of the source whose mirror is meant, in a message that holds several
 * @param byBot true when the bot names the author in the text, which webhooks do not need
 */
export const wordsIn = (
  content: string,
  byBot: boolean,
  of?: MessageRef,
): { readonly name?: string; readonly text: string } => {
  const own = of && readSections(content).find(({ footer: line }) => isOfSource(line, of));
  const lines = (own?.text ?? content).split('\n');
  const words = lines.filter((line) => !readFooter(line));
  const text = words.join('\n').replace(leading, '');
  // A message without a footer is no mirror under a name.
  const name =
    byBot && words.length < lines.length ? nameAhead.exec(text)?.groups?.['name'] : undefined;
  return name === undefined
    ? { text }
    : { text: text.replace(nameAhead, ''), name: name.replaceAll(escaped, '$1') };
};

/** Room for ` 10/12`, a line break, and the backslash that escapes a line which looks like a footer. */
const NUMBER_ROOM = 12;
const QUOTE_CHARS = 100;

/**
 * The writer of a mirror: a webhook has the person's name and picture, the bot writes the name in
 * front.
 */
export type WriterKind = 'webhook' | 'bot';

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

/** A person's text as the bot shows it. */
export const named = (name: string, text: string): string =>
  inFront(`**${line(name, WEBHOOK_NAME_CHARS) || '…'}**:`, text);

const begin = (mirror: Mirror, by: WriterKind, text: string): string =>
  quoteLine(mirror) + (by === 'bot' && mirror.as ? named(mirror.as.name, text) : text);

/** The file name by which a mirror's voice message can be found again. */
export const voiceNameOf = (source: MessageRef): string => `${tagOf(source)}.ogg`;

const isVoice = (file: OutgoingFile): boolean => file.voice !== undefined;

/**
 * The same mirror where voice messages are not allowed: the recording is attached to its text as a
 * file.
 */
export const withoutVoice = (mirror: Mirror): Mirror => ({
  ...mirror,
  content: {
    ...mirror.content,
    files: (mirror.content.files ?? []).map((file) =>
      isVoice(file)
        ? { name: voiceNameOf(mirror.source), mediaType: file.mediaType, bytes: file.bytes }
        : file,
    ),
  },
});

/**
 * Makes messages of texts; files are attached to the last one, as no message of a person has more
 * than ten.
 */
const withFiles = (texts: readonly string[], files: readonly OutgoingFile[]): Part[] =>
  texts.map((content, index) => ({
    content,
    files: index === texts.length - 1 ? files.slice(0, FILES) : [],
  }));

/** The messages of a mirror; under a person's name a voice message may come first. */
export interface MirrorParts {
  readonly voice: readonly Part[];
  /** Messages with text; at least one. */
  readonly texts: readonly Part[];
}

const personaParts = (mirror: Mirror, by: WriterKind): MirrorParts => {
  const footer = footerOf(mirror);
  const split = splitMarkdown(
    withoutFooters(mirror.content.text),
    CONTENT_CHARS - footer.length - NUMBER_ROOM,
    { firstRoom: begin(mirror, by, '').length },
  );
  // Repeated, because a cut creates new lines.
  const pieces = split.length > 0 ? split.map(withoutFooters) : [''];
  const texts = pieces.map((piece, index) => {
    const begun = index > 0 ? piece : begin(mirror, by, piece);
    return [begun.trimEnd(), footer + numbered(index, pieces.length)].filter(Boolean).join('\n');
  });
  const files = mirror.content.files ?? [];
  const [voice] = files.filter(isVoice);
  return {
    voice: voice ? [voicePart({ ...voice, name: voiceNameOf(mirror.source) })] : [],
    texts: withFiles(
      texts,
      files.filter((file) => !isVoice(file)),
    ),
  };
};

/** The beginning of a reply's part. */
export const replyPrefix = (label: string, index: number, count: number): string =>
  `${label}${numbered(index, count)}`;

const replyParts = ({ content: { text, files = [] }, label }: Mirror): MirrorParts => {
  const split = splitMarkdown(text, CONTENT_CHARS - label.length - NUMBER_ROOM);
  const pieces = split.length > 0 ? split : [''];
  const texts = pieces.map((piece, index) =>
    inFront(replyPrefix(label, index, pieces.length), piece).trimEnd(),
  );
  return { voice: [], texts: withFiles(texts, files) };
};

export const partsOf = (mirror: Mirror, by: WriterKind): MirrorParts =>
  mirror.as ? personaParts(mirror, by) : replyParts(mirror);

const fences = /```/g;
/** Matches a quote of all that follows, up to the message's end. */
const endlessQuote = /^\s*>>> /m;
/** Matches text that looks like another person's section of the message. */
const nameInFront = /^[^\S\n]*\*\*[^\n]*:/m;
/** Matches markers without a partner, which text of the next section could close. */
const loneMarkers = /[*`]|~~|\|\||__|(?<!\w)_|_(?!\w)|\[[^[\]]*$/;

const needsOwnMessage = ({ files = [], text }: Mirror['content']): boolean =>
  files.length > 0 ||
  endlessQuote.test(text) ||
  nameInFront.test(text) ||
  loneMarkers.test(withoutSpans(text));

/** A mirror as a section of a shared message; undefined for one that needs a message of its own. */
export const sectionOf = (mirror: Mirror, by: WriterKind): Section | undefined => {
  if (needsOwnMessage(mirror.content)) return undefined;
  const open = (mirror.content.text.match(fences)?.length ?? 0) % 2 === 1;
  const text = open ? `${mirror.content.text}\n\`\`\`` : mirror.content.text;
  const [only, ...more] = personaParts({ ...mirror, content: { text } }, by).texts;
  return only && more.length === 0 ? { footer: footerOf(mirror), text: only.content } : undefined;
};
