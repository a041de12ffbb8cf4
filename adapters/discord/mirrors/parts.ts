import { hash } from 'node:crypto';
import { linkTo, PLATFORM } from '../ids.ts';
import { CONTENT_CHARS, FILES, WEBHOOK_NAME_CHARS } from '../limits.ts';
import { type Part, rowsOf, voicePart } from '../outbound/render.ts';
import { parseDiscord } from '../rich-text/parse.ts';
import { renderWithMentions } from '../rich-text/render.ts';
import { labelled, lines } from '../../../src/rich-text/compose.ts';
import { isVoiceMessage } from '../files.ts';
import type { MessageRef } from '../../../src/model/place.ts';
import {
  code,
  link,
  mention,
  paragraph,
  styled,
  subtext,
  text,
  type Inline,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import type { LabelledText, Mirror } from '../../../src/ports/mirrors.ts';
import { quotedWords } from '../../../src/text/quoted-words.ts';
import { splitRichText } from '../../../src/text/split/split-rich-text.ts';

const TAG_CHARS = 10;

/** A short name of a message, always the same for it. */
export const tagOf = ({ channel, id }: MessageRef): string =>
  hash('sha256', JSON.stringify([channel.space.platform, channel.id, id])).slice(0, TAG_CHARS);

/** The label of a mirror in Discord's markup. */
export const labelText = (label: Mirror['label']): string =>
  renderWithMentions([paragraph(...label)]);

export const partNumber = (index: number, count: number): string =>
  count > 1 ? ` ${index + 1}/${count}` : '';

const isOnDiscord = ({ channel }: MessageRef): boolean => channel.space.platform === PLATFORM;

/** Words that lead to a message, without a preview. */
const linked = ({ channel, id }: MessageRef, ...words: readonly Inline[]): Inline => ({
  ...link(linkTo(channel, id), ...words),
  noPreview: true,
});

/** The name of the source in a footer: a link for people, or its tag, which is much shorter. */
export type FooterForm = 'link' | 'tag';

/**
 * The last line of a mirror under a person's name. It names the source to people and to this
 * program: webhooks have no nonce, so messages whose response was lost are found by it. Sources on
 * other platforms have no link.
 */
export const footerOf = (
  { label, source }: Pick<Mirror, 'label' | 'source'>,
  form: FooterForm = 'link',
): string =>
  renderWithMentions([
    form === 'link' && isOnDiscord(source)
      ? subtext(linked(source, ...label))
      : subtext(...label, text(' · '), code(tagOf(source))),
  ]);

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

/** The form of a footer's line. */
export const formOf = (footer: string): FooterForm => (footer.endsWith('>)') ? 'link' : 'tag');

/** True for the footer of any mirror of this message, whatever its label. */
export const isOfSource = (footer: string, source: MessageRef): boolean =>
  footer.endsWith(` · \`${tagOf(source)}\``) ||
  (isOnDiscord(source) && footer.endsWith(`](<${linkTo(source.channel, source.id)}>)`));

/** Writes words of other people, in which no line is a footer. */
const writeWords = (tree: RichText): string =>
  renderWithMentions(tree)
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
  readonly notifies?: Part['notifies'];
}

export const readSections = (content: string): readonly Section[] => {
  const sections: Section[] = [];
  let held: string[] = [];
  for (const line of content.split('\n')) {
    held.push(line);
    const found = readFooter(line);
    if (!found) continue;
    sections.push({ footer: found.line, text: held.join('\n') });
    held = [];
  }
  return sections;
};

export const writeSections = (sections: readonly Section[]): string =>
  sections.map((section) => section.text).join('\n');

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

/** The words of a mirror that quotes another message, without the quote. */
export const withoutQuote = (content: string): string => content.replace(/^-# ↪ [^\n]*\n/, '');

const nameAhead = /^\*\*(?:\\.|[^\\*\n])+\*\*:\s?/;

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
  const all = (own?.text ?? content).split('\n');
  const words = all.filter((line) => !readFooter(line));
  const body = words.join('\n').replace(leading, '');
  // A message without a footer is no mirror under a name.
  const [ahead] = (byBot && words.length < all.length && nameAhead.exec(body)) || [];
  return ahead === undefined
    ? { text: body }
    : { text: body.slice(ahead.length), name: plainText(parseDiscord(ahead)).slice(0, -1) };
};

/** Room for ` 10/12`, line breaks, and the backslash that escapes a line which looks like a footer. */
const NUMBER_ROOM = 12;
const QUOTE_CHARS = 100;

/**
 * The writer of a mirror: a webhook has the person's name and picture, the bot writes the name in
 * front.
 */
export type WriterKind = 'webhook' | 'bot';

/** Words in which Discord sees no address: a label with one would not be a link. */
const line = (words: string, chars: number): string =>
  quotedWords(words, chars).replaceAll('://', ':\u200B//');

const quoteLine = ({ name, text: words, ref, mentions }: NonNullable<Mirror['quote']>): string => {
  const quoted = line(words, QUOTE_CHARS);
  const all = [styled('bold', text(line(name, WEBHOOK_NAME_CHARS))), text(`: ${quoted}`)];
  // A mention is none within a link.
  const [ahead, shown] =
    mentions === undefined
      ? [[], all]
      : [[mention(PLATFORM, 'member', mentions), text(': ')], [text(quoted || '…')]];
  return renderWithMentions([
    subtext(text('↪ '), ...ahead, ...(isOnDiscord(ref) ? [linked(ref, ...shown)] : shown)),
  ]);
};

/** The people whom a mirror notifies when it is posted. */
const notifiedBy = ({ quote }: Mirror): Pick<Part, 'notifies'> =>
  quote?.mentions === undefined ? {} : { notifies: [quote.mentions] };

/** The same mirror where it is posted again: it names whom it may have notified before. */
export const quietly = (mirror: Mirror): Mirror => {
  if (!mirror.quote) return mirror;
  const { mentions: _, ...quote } = mirror.quote;
  return { ...mirror, quote };
};

const named = (name: string, tree: RichText): RichText =>
  labelled([styled('bold', text(line(name, WEBHOOK_NAME_CHARS) || '…')), text(':')], tree);

/** A section of a webhook's message as the bot shows it: the name stands below the quote. */
export const underName = ({ footer, text: written }: Section, name: string): Section => {
  const quote = leading.exec(written)?.[0] ?? '';
  const words = parseDiscord(written.slice(quote.length, -footer.length));
  return { footer, text: `${quote}${writeWords(named(name, words))}\n${footer}` };
};

/** The file name by which a mirror's voice message can be found again. */
export const voiceNameOf = (source: MessageRef): string => `${tagOf(source)}.ogg`;

/**
 * The same mirror where voice messages are not allowed: the recording is attached to its text as a
 * file.
 */
export const withoutVoice = (mirror: Mirror): Mirror => ({
  ...mirror,
  content: {
    ...mirror.content,
    files: (mirror.content.files ?? []).map((file) => {
      if (!isVoiceMessage(file)) return file;
      const { voice: _, ...plain } = file;
      return { ...plain, name: voiceNameOf(mirror.source) };
    }),
  },
});

/** The messages of a mirror; under a person's name a voice message may come first. */
export interface MirrorParts {
  readonly voice: readonly Part[];
  /** Messages with text; at least one. */
  readonly texts: readonly Part[];
}

const partText = (
  { source, label, quote, as: author }: Mirror,
  by: WriterKind,
  words: RichText,
  [index, count]: readonly [index: number, count: number],
  form: FooterForm = 'link',
): string => {
  const number = partNumber(index, count);
  if (!author) return writeWords(labelled([...label, text(number)], words));
  const isFirst = index === 0;
  return [
    ...(isFirst && quote ? [quoteLine(quote)] : []),
    writeWords(isFirst && by === 'bot' ? named(author.name, words) : words),
    footerOf({ source, label }, form) + number,
  ]
    .filter((each) => each !== '')
    .join('\n');
};

/** Puts texts below each other, each under its label; the first label has the part's number. */
const writeBlocks = ([first, ...rest]: readonly LabelledText[], number: string): string =>
  writeWords(
    lines(
      first && labelled([...first.label, text(number)], first.text),
      ...rest.map((block) => labelled(block.label, block.text)),
    ),
  );

/** The texts of a long reply's parts: each text of it has its own label in each part. */
const textsOfBlocks = (blocks: readonly LabelledText[]): readonly string[] => {
  const pieces = blocks.flatMap(({ label, text: words }) => {
    const room = CONTENT_CHARS - NUMBER_ROOM - labelText(label).length;
    return splitRichText(words, { render: writeWords, limit: room }).map(({ tree }) => ({
      label,
      text: tree,
    }));
  });
  const parts: LabelledText[][] = [];
  for (const piece of pieces) {
    const last = parts.at(-1);
    const joins = last && writeBlocks([...last, piece], '').length <= CONTENT_CHARS - NUMBER_ROOM;
    if (joins) last.push(piece);
    else parts.push([piece]);
  }
  return parts.map((part, index) => writeBlocks(part, partNumber(index, parts.length)));
};

/** The texts of a mirror's parts; at least one. A short one is written once, and never cut. */
const textsOf = (mirror: Mirror, by: WriterKind): readonly string[] => {
  const { text: words } = mirror.content;
  const whole = partText(mirror, by, words, [0, 1]);
  if (whole.length <= CONTENT_CHARS) return [whole];
  if (mirror.blocks) return textsOfBlocks(mirror.blocks);
  const around = (index: number): number => partText(mirror, by, [], [index, 1]).length;
  const pieces = splitRichText(words, {
    render: writeWords,
    limit: CONTENT_CHARS - NUMBER_ROOM - around(1),
    firstRoom: around(0) - around(1),
  });
  if (pieces.length === 0) return [partText(mirror, by, [], [0, 1])];
  return pieces.map(({ tree }, index) => partText(mirror, by, tree, [index, pieces.length]));
};

export const partsOf = (mirror: Mirror, by: WriterKind): MirrorParts => {
  const { files = [] } = mirror.content;
  const voices = mirror.as ? files.filter(isVoiceMessage) : [];
  const rest = files.filter((file) => !voices.includes(file)).slice(0, FILES);
  const texts = textsOf(mirror, by);
  const rows = mirror.content.controls && { rows: rowsOf(mirror.content.controls) };
  return {
    voice: voices
      .slice(0, 1)
      .map((voice) => voicePart({ ...voice, name: voiceNameOf(mirror.source) })),
    // Files and controls are attached to the last one.
    texts: texts.map((content, index) => ({
      content,
      ...(index === texts.length - 1 ? { files: rest, ...rows } : { files: [] }),
      ...(index === 0 ? notifiedBy(mirror) : {}),
    })),
  };
};

/** Matches text that looks like another person's section of the message. */
const nameInFront = /^[^\S\n]*\*\*[^\n]*:/m;

/** A mirror as a section of a shared message; undefined for one that needs a message of its own. */
export const sectionOf = (
  mirror: Mirror,
  by: WriterKind,
  form: FooterForm = 'link',
): Section | undefined => {
  const { files = [], text: words } = mirror.content;
  if (files.length > 0 || nameInFront.test(renderWithMentions(words))) return undefined;
  const written = partText(mirror, by, words, [0, 1], form);
  if (written.length > CONTENT_CHARS) return undefined;
  return { footer: footerOf(mirror, form), text: written, ...notifiedBy(mirror) };
};
