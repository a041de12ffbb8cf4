import { hash } from 'node:crypto';
import type { MessageRef } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/mirrors.ts';
import { plainLine } from '../../../src/text/markup/plain-line.ts';
import { linkTo, PLATFORM } from '../ids.ts';

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

const footer =
  /^(?<line>-# (?:\[[^\n]*\]\(<https:\/\/discord\.com\/channels\/[^>\s]+>\)|[^\n]* · `[0-9a-f]{10}`))(?: (?<part>\d+)\/(?<parts>\d+))?$/;

export interface Footer {
  readonly line: string;
  /** The number of this part, from 1, and of all parts, for a mirror in several parts. */
  readonly part: number;
  readonly parts: number;
}

/** Parses a footer; undefined for any other line. */
export const readFooter = (line: string): Footer | undefined => {
  const groups = footer.exec(line)?.groups;
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
const named = /^\*\*(?<name>(?:\\.|[^\\*\n])+)\*\*:\s?/;
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
    byBot && words.length < lines.length ? named.exec(text)?.groups?.['name'] : undefined;
  return name === undefined
    ? { text }
    : { text: text.replace(named, ''), name: name.replaceAll(escaped, '$1') };
};
