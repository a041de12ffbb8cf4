import { hash } from 'node:crypto';
import type { MessageRef } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/mirrors.ts';
import { plainLine } from '../../../src/text/markup/plain-line.ts';
import { linkTo, PLATFORM } from '../ids.ts';

const TAG_CHARS = 10;

/** A short name of a message, the same each time. */
export const tagOf = ({ channel, id }: MessageRef): string =>
  hash('sha256', JSON.stringify([channel.space.platform, channel.id, id])).slice(0, TAG_CHARS);

/** The end of the footer of each mirror of this message; messages of other platforms have no address here. */
const endOf = (source: MessageRef): string =>
  source.channel.space.platform === PLATFORM
    ? `](<${linkTo(source.channel, source.id)}>)`
    : ` · \`${tagOf(source)}\``;

/**
 * The last line of a mirror under somebody's name. It names the source to people and to us: webhooks have no
 * nonce, so what a lost answer left behind is found by it.
 */
export const footerOf = ({ label, source }: Pick<Mirror, 'label' | 'source'>): string =>
  source.channel.space.platform === PLATFORM
    ? `-# [${plainLine(label)}${endOf(source)}`
    : `-# ${plainLine(label)}${endOf(source)}`;

const footer =
  /^(?<line>-# (?:\[[^\n]*\]\(<https:\/\/discord\.com\/channels\/[^>\s]+>\)|[^\n]* · `[0-9a-f]{10}`))(?: (?<part>\d+)\/(?<parts>\d+))?$/;

export interface Footer {
  readonly line: string;
  /** The number of this part, from 1, of a mirror in several parts, and how many there are. */
  readonly part: number;
  readonly parts: number;
}

/** Undefined for any other line. */
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

/** Escapes what others wrote that looks like a footer of ours. */
export const withoutFooters = (text: string): string =>
  text
    .split('\n')
    .map((line) => (readFooter(line.trim()) ? `\\${line.trimStart()}` : line))
    .join('\n');

/** One of several mirrors in a message, which ends with its footer; also the one that is left of several. */
export interface Section {
  readonly footer: string;
  /** Footer included. */
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

/** Puts a section in the place of that of the same source; undefined when there is none. */
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

/** A quote, or the note that a message was forwarded, above the words of a mirror. */
const leading = /^(?:-# ↪[^\n]*(?:\n|$))+/;
const named = /^\*\*(?<name>(?:\\.|[^\\*\n])+)\*\*:\s?/;
const escaped = /\\([\\`*_~|<>[\]()#])/g;

/**
 * The words of a message of ours, without what a mirror puts around them, and the name that the bot puts in
 * front of them.
 *
 * @param of the source whose mirror is meant, where several stand in one message
 * @param byBot true when the bot tells whose words they are, as a webhook need not
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
