import type { Json } from './slack/json.ts';
import type { Kept } from './slack-messages.ts';

/** A message as people see it, read without the project's own parsers. */
export interface Shown {
  /** All that can be read, without signs that cannot be seen. */
  readonly words: string;
  readonly links: readonly string[];
  readonly code: readonly string[];
  readonly codeBlocks: readonly string[];
  readonly seconds: readonly number[];
  /** The places of links: in which lists and quotes they stand. */
  readonly places: readonly Place[];
}

interface Place {
  readonly url: string;
  /** The depth of its list; undefined outside of lists. */
  readonly indent?: number;
  readonly isNumbered?: boolean;
  readonly isQuoted: boolean;
}

const UNSEEN = /\uFE0F|[\u00AD\u200B\u2060\u202A-\u202E\u2066-\u2069]/g;
const seen = (words: string): string => words.replaceAll(UNSEEN, '');

interface Node extends Json {
  readonly type?: string;
  readonly text?: string;
  readonly url?: string;
  readonly name?: string;
  readonly unicode?: string;
  readonly timestamp?: number;
  readonly style?: { readonly code?: boolean } | string;
  readonly indent?: number;
  readonly border?: number;
  readonly elements?: readonly Node[];
}

const signOf = ({ name, unicode }: Node): string =>
  unicode === undefined
    ? `:${name}:`
    : String.fromCodePoint(...unicode.split('-').map((point) => Number.parseInt(point, 16)));

/** Reads the `rich_text` blocks of a message of Slack. */
export const shownOnSlack = (blocks: readonly Json[]): Shown => {
  const shown = {
    words: '',
    links: [] as string[],
    code: [] as string[],
    codeBlocks: [] as string[],
    seconds: [] as number[],
    places: [] as Place[],
  };
  const read = (node: Node, list: Node | undefined, isQuoted: boolean): void => {
    switch (node.type ?? '') {
      case 'text':
        shown.words += node.text;
        if (typeof node.style === 'object' && node.style.code) shown.code.push(node.text ?? '');
        break;
      case 'link':
        shown.words += node.text ?? node.url;
        shown.links.push(node.url ?? '');
        shown.places.push({
          url: node.url ?? '',
          ...(list ? { indent: list.indent ?? 0, isNumbered: list.style === 'ordered' } : {}),
          isQuoted,
        });
        break;
      case 'emoji':
        shown.words += signOf(node);
        break;
      case 'date':
        shown.seconds.push(node.timestamp ?? 0);
        break;
      case 'rich_text_preformatted':
        shown.codeBlocks.push((node.elements ?? []).map(({ text = '' }) => text).join(''));
        break;
      case 'rich_text_list':
        for (const item of node.elements ?? []) read(item, node, node.border === 1);
        break;
      default:
        for (const inner of node.elements ?? [])
          read(inner, list, isQuoted || node.type === 'rich_text_quote');
    }
  };
  for (const block of blocks) read(block, undefined, false);
  return { ...shown, words: seen(shown.words) };
};

const FENCED = /```(?:\w*\n)?(?<code>[^]*?)\n?```/g;
const SPAN = /(`{1,2})(?<code>[^`\n]+)\1/g;
const ADDRESS = /https:\/\/example\.org\/[^\s<>)]+/g;
const TIME = /<t:(?<seconds>-?\d+)(?::\w)?>/g;
/** A sign of Markdown that is written as itself. */
const ESCAPED = /\\(?<sign>[^\sA-Za-z\d])/g;
const LINE = /^(?<quote>(?:> )*)(?<space> *)(?:(?<bullet>[-*])|(?<number>\d+)\.)? ?/;
/** Spaces by which Discord tells the depths of lists: two, or more under numbers. */
const depthOf = (spaces: number): number => Math.ceil(spaces / 3);

/** Reads the content of a message of Discord. */
export const shownOnDiscord = (content: string): Shown => {
  const places: Place[] = [];
  const marked = content.replaceAll('\\`', '');
  const unfenced = marked.replaceAll(FENCED, ' ');
  for (const line of unfenced.split('\n')) {
    const groups = LINE.exec(line)?.groups ?? {};
    const isItem = groups['bullet'] !== undefined || groups['number'] !== undefined;
    const place = {
      ...(isItem
        ? {
            indent: depthOf(groups['space']?.length ?? 0),
            isNumbered: groups['number'] !== undefined,
          }
        : {}),
      isQuoted: (groups['quote'] ?? '') !== '',
    };
    for (const [url] of line.matchAll(ADDRESS)) places.push({ url, ...place });
  }
  const unquoted = marked.replaceAll(/^(?:> )+/gm, '');
  const prose = unfenced.replaceAll(SPAN, ' ');
  return {
    words: seen(content.replaceAll(ESCAPED, '$<sign>')),
    links: Array.from(prose.matchAll(ADDRESS), ([url]) => url),
    code: Array.from(unfenced.matchAll(SPAN), ({ groups = {} }) => groups['code'] ?? ''),
    codeBlocks: Array.from(unquoted.matchAll(FENCED), ({ groups = {} }) => groups['code'] ?? ''),
    seconds: Array.from(prose.matchAll(TIME), ({ groups = {} }) => Number(groups['seconds'])),
    places,
  };
};

const count = <Value>(all: readonly Value[], one: Value): number =>
  all.filter((each) => each === one).length;
const occurrences = (words: string, part: string): number => words.split(part).length - 1;

/**
 * What is not there of what has to be seen.
 *
 * @param isCut true for a message that stands in several: the depth of a list begins anew in each
 */
export const missingIn = (shown: Shown, kept: readonly Kept[], isCut: boolean): readonly Kept[] => {
  const known = (part: Kept): string => JSON.stringify(part);
  return kept.filter((part) => {
    const times = kept.filter((other) => known(other) === known(part)).length;
    switch (part.kind) {
      case 'link':
        return count(shown.links, part.url) < times;
      case 'mention':
        return occurrences(shown.words, part.name) < times;
      case 'emoji':
        return occurrences(shown.words, seen(part.emoji)) < times;
      case 'code':
        return count(shown.code, part.code) < times;
      case 'code-block':
        return count(shown.codeBlocks, part.code) < times;
      case 'date':
        return count(shown.seconds, part.seconds) < times;
      case 'item':
        return !shown.places.some(
          ({ url, indent, isNumbered }) =>
            url === part.url && isNumbered === part.isNumbered && (isCut || indent === part.indent),
        );
      case 'quote':
        return !shown.places.some(({ url, isQuoted }) => url === part.url && isQuoted);
    }
  });
};
