import { nestItems, type PlacedItem, normalise } from '../../../src/rich-text/normalise.ts';
import {
  code,
  codeBlock,
  emoji,
  link,
  mention,
  styled,
  STYLE_KINDS,
  text,
  isSecond,
  timestamp,
  type Block,
  type Inline,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import { PLATFORM, styleOf, withTone } from './atoms.ts';
import { grouped } from '../../../src/rich-text/walk.ts';
import type { Element, RichTextBlock, RichTextList, RichTextPart } from './blocks.ts';

const codePoints = /^[\da-f]{2,6}(?:-[\da-f]{2,6}){0,15}$/i;

/** The text of a Unicode emoji, or a node for an emoji that has only a name. */
const emojiOf = ({
  name,
  unicode,
  skin_tone: tone,
}: Extract<Element, { type: 'emoji' }>): Inline => {
  const points = unicode?.split('-').map((point) => Number.parseInt(point, 16)) ?? [];
  if (unicode !== undefined && codePoints.test(unicode) && points.every((p) => p <= 0x10ffff))
    return text(withTone(String.fromCodePoint(...points), tone));
  const known = tone === undefined ? name : `${name}::skin-tone-${tone}`;
  return emoji(PLATFORM, known, known);
};

const WORDS = ['text', 'title', 'name', 'label', 'value', 'fallback'] as const;
const ADDRESSES = ['url', 'permalink'] as const;
const IDS = ['team_id', 'canvas_id', 'file_id'] as const;

/** Content of an element that is not known: its words, its address or, for want of them, its id. */
const otherOf = (element: Readonly<Record<string, unknown>>): Inline | undefined => {
  const find = (keys: readonly string[]): string | undefined =>
    keys.map((key) => element[key]).find((value) => typeof value === 'string' && value !== '') as
      | string
      | undefined;
  const [words, address] = [find(WORDS), find(ADDRESSES)];
  if (address !== undefined) return link(address, ...(words === undefined ? [] : [text(words)]));
  const shown = words ?? find(IDS);
  return shown === undefined ? undefined : text(shown);
};

const leafOf = (element: Element): Inline | undefined => {
  switch (element.type) {
    case 'text':
      return element.style?.code ? code(element.text) : text(element.text);
    case 'link':
      return element.text === undefined || element.text === element.url
        ? link(element.url)
        : link(element.url, text(element.text));
    case 'user':
      return mention(PLATFORM, 'member', element.user_id);
    case 'usergroup':
      return mention(PLATFORM, 'group', element.usergroup_id);
    case 'channel':
      return mention(PLATFORM, 'channel', element.channel_id);
    case 'broadcast':
      return mention(PLATFORM, 'broadcast', element.range);
    case 'emoji':
      return emojiOf(element);
    case 'date': {
      if (!isSecond(element.timestamp)) return text(element.fallback ?? '');
      const moment = timestamp(element.timestamp, styleOf(element.format));
      return element.url === undefined ? moment : link(element.url, moment);
    }
    case 'color':
      return text(element.value);
    case 'team':
    case 'canvas':
    default:
      return otherOf(element);
  }
};

const rowOf = (elements: readonly Element[]): readonly Inline[] =>
  elements.flatMap((element) => {
    const leaf = leafOf(element);
    const styles = STYLE_KINDS.filter((kind) => element.style?.[kind]);
    return leaf ? [styles.reduce((inner, kind): Inline => styled(kind, inner), leaf)] : [];
  });

const plain = (elements: readonly Element[]): string =>
  elements
    .map((element) => {
      const leaf = element.type === 'link' ? text(element.url) : leafOf(element);
      return leaf?.kind === 'text' || leaf?.kind === 'code' ? leaf.text : '';
    })
    .join('');

const itemsOf = ({ elements, indent = 0, offset = 0, style }: RichTextList): PlacedItem[] =>
  elements.map((item, index) => ({
    indent,
    number: style === 'bullet' ? undefined : offset + index + 1,
    children: rowOf(item.elements),
  }));

/** Removes the line break that ends a section where another part follows. */
const withoutLastBreak = (elements: readonly Element[]): readonly Element[] => {
  const last = elements.at(-1);
  return last?.type === 'text' && last.text.endsWith('\n')
    ? [...elements.slice(0, -1), { ...last, text: last.text.slice(0, -1) }]
    : elements;
};

const blockOf = (part: Exclude<RichTextPart, RichTextList>, isLast: boolean): Block | undefined => {
  switch (part.type) {
    case 'rich_text_section': {
      const elements = isLast ? part.elements : withoutLastBreak(part.elements);
      return { kind: 'paragraph', children: rowOf(elements) };
    }
    case 'rich_text_quote':
      return { kind: 'paragraph', children: rowOf(part.elements) };
    case 'rich_text_preformatted':
      return codeBlock(plain(part.elements));
    default:
      return undefined;
  }
};

const isQuoted = (part: RichTextPart): boolean =>
  part.type === 'rich_text_quote' || ('border' in part && part.border === 1);

/** The blocks of consecutive parts that are all quoted or all unquoted. */
const blocksOf = (parts: readonly RichTextPart[], isLast: boolean): readonly Block[] =>
  grouped(parts, (part) => (part.type === 'rich_text_list' ? 'list' : part)).flatMap(
    (group, index, { length }): readonly Block[] => {
      const [part] = group;
      if (part.type === 'rich_text_list')
        return nestItems((group as readonly RichTextList[]).flatMap(itemsOf));
      const block = blockOf(part, isLast && index === length - 1);
      return block ? [block] : [];
    },
  );

/** Parses a `rich_text` block of Slack. Elements that are not known keep their words. */
export const parseSlackBlocks = ({ elements }: RichTextBlock): RichText =>
  normalise(
    grouped(elements, isQuoted).flatMap((parts, index, { length }): readonly Block[] => {
      const children = blocksOf(parts, index === length - 1);
      return isQuoted(parts[0]) ? [{ kind: 'quote', children }] : children;
    }),
  );
