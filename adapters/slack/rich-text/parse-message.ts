import { joined, lines, plainWords, sentence, sections } from '../../../src/rich-text/compose.ts';
import {
  heading,
  link,
  styled,
  subtext,
  text,
  type Block,
  type Inline,
  type List,
  type RichText,
  mention,
  quote,
} from '../../../src/rich-text/rich-text.ts';
import { parseMarkdown } from '../../../src/rich-text/markdown/parse.ts';
import {
  isRichText,
  type RawBlock,
  type RawAttachment,
  type RawSlackMessage,
} from '../inbound/raw-message.ts';
import { parseMrkdwn } from './parse-mrkdwn.ts';
import { parseSlackBlocks } from './parse-blocks.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { PLATFORM, withUnicodeEmoji } from './atoms.ts';

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isBlock = (value: unknown): value is RawBlock =>
  isObject(value) && typeof value['type'] === 'string';
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const stringOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** The words of a text: a text object, a cell of a table, a `rich_text` block or bare words. */
const wordsOf = (value: unknown): RichText => {
  if (typeof value === 'string') return plainWords(value);
  if (!isObject(value)) return [];
  if (isBlock(value) && isRichText(value)) return parseSlackBlocks(value);
  const written = stringOf(value['text']);
  if (written === undefined) return [];
  return value['type'] === 'mrkdwn' ? parseMrkdwn(written) : plainWords(written);
};

const itemsOf = ({ items }: List): readonly Inline[] =>
  items.flatMap(({ children, lists }, index) => [
    text(index === 0 ? '• ' : ' • '),
    ...children,
    ...lists.flatMap((inner) => [text(' '), ...itemsOf(inner)]),
  ]);

/** All words of a tree in one row, for places that hold one line. */
const rowOf = (tree: RichText): readonly Inline[] =>
  tree.flatMap((block, index): readonly Inline[] => {
    const inner =
      block.kind === 'code-block'
        ? [text(block.text)]
        : block.kind === 'list'
          ? itemsOf(block)
          : block.kind === 'quote'
            ? rowOf(block.children)
            : block.children;
    return index === 0 ? inner : [text(' '), ...inner];
  });

const bold = (value: unknown): RichText => {
  const row = rowOf(wordsOf(value));
  return row.length === 0 ? [] : sentence(styled('bold', ...row));
};

const small = (tree: RichText): RichText =>
  tree.map((block): Block => (block.kind === 'paragraph' ? subtext(...block.children) : block));

const tableRow = (cells: unknown): RichText =>
  sentence(
    ...joined(
      listOf(cells).map((cell) => sentence(...rowOf(wordsOf(cell)))),
      ' | ',
    ),
  );

const tableOf = (rows: unknown): RichText => {
  const [first, ...rest] = listOf(rows).map(tableRow);
  return first ? lines(sentence(styled('bold', ...rowOf(first))), ...rest) : [];
};

/** A picture as a link with its description: the picture itself is not copied. */
const pictureOf = (raw: Fields): RichText => {
  const title = wordsOf(raw['title']);
  const label = title.length > 0 ? rowOf(title) : rowOf(wordsOf(raw['alt_text']));
  const url = stringOf(raw['image_url'] ?? raw['title_url']);
  return url === undefined || label.length === 0
    ? sentence(...label)
    : sentence(link(url, ...label));
};

const sourceOf = (value: unknown): RichText => {
  const url = isObject(value) ? stringOf(value['url']) : undefined;
  return url === undefined ? [] : sentence(link(url, ...rowOf(wordsOf(value))));
};

/** The texts that have any words. */
export const present = (trees: readonly RichText[]): readonly RichText[] =>
  trees.filter((tree) => tree.length > 0);

const below = (...trees: readonly RichText[]): RichText => lines(...present(trees));

/**
 * The words of a block (docs.slack.dev, "Blocks"); nothing for controls and dividers, or for blocks
 * that are not known.
 */
const blockText = (raw: RawBlock): RichText => {
  if (isRichText(raw)) return parseSlackBlocks(raw);
  switch (raw.type) {
    case 'section':
      return below(wordsOf(raw['text']), ...listOf(raw['fields']).map(wordsOf));
    case 'header': {
      const row = rowOf(wordsOf(raw['text']));
      return row.length === 0 ? [] : [heading(3, ...row)];
    }
    case 'context':
      return small(
        below(
          ...listOf(raw['elements']).map((each) =>
            isBlock(each) && each.type === 'image' ? [] : wordsOf(each),
          ),
        ),
      );
    case 'markdown':
      return parseMarkdown(stringOf(raw['text']) ?? '');
    case 'image':
      return pictureOf(raw);
    case 'video':
      return below(pictureOf(raw), wordsOf(raw['description']));
    case 'table':
      return tableOf(raw['rows']);
    case 'data_table':
      return below(bold(raw['caption']), tableOf(raw['rows']));
    case 'data_visualization':
      return bold(raw['title']);
    case 'alert':
      return wordsOf(raw['text']);
    case 'card':
      return below(bold(raw['title']), wordsOf(raw['subtitle']), wordsOf(raw['body']));
    case 'carousel':
      return blocksText(listOf(raw['elements']));
    case 'container':
      return below(
        bold(raw['rich_text_title'] ?? raw['title']),
        wordsOf(raw['subtitle']),
        blocksText(listOf(raw['child_blocks'])),
      );
    case 'plan':
      return below(bold(raw['title']), blocksText(listOf(raw['tasks'])));
    case 'task_card':
      return below(
        bold(raw['title']),
        wordsOf(raw['details']),
        wordsOf(raw['output']),
        ...listOf(raw['sources']).map(sourceOf),
      );
    default:
      return [];
  }
};

/** The words of blocks, each on lines of its own. */
export const blocksText = (blocks: readonly unknown[] = []): RichText =>
  below(...blocks.filter(isBlock).map(blockText));

const written = (markup: string | undefined): RichText => (markup ? parseMrkdwn(markup) : []);

/** A line that may be a link. */
const titled = (markup: string | undefined, url: string | undefined): RichText => {
  const tree = written(markup);
  const words = plainText(tree).replaceAll('\n', ' ');
  if (words === '') return [];
  return url === undefined ? tree : sentence(link(url, text(words)));
};

const boldLine = (tree: RichText): RichText => {
  const words = plainText(tree).replaceAll('\n', ' ');
  return words === '' ? [] : sentence(styled('bold', text(words)));
};

const rowOfName = (name: string | undefined): readonly Inline[] =>
  name ? [styled('bold', text(name))] : [];

/** Another message that was shared, as a quotation of its author. */
const sharedText = (raw: RawAttachment): RichText => {
  const blocks = (raw.message_blocks ?? []).map(({ message }) => blocksText(message?.blocks));
  const shown = present(blocks);
  const body = shown.length > 0 ? lines(...shown) : written(raw.text ?? raw.fallback);
  const by: readonly Inline[] =
    raw.author_id === undefined
      ? rowOfName(raw.author_name)
      : [mention(PLATFORM, 'member', raw.author_id, raw.author_name)];
  return [quote(...(by.length === 0 ? [] : sentence(...by)), ...body)];
};

/** The words of an attachment, but not of the preview of a link. */
export const attachmentText = (raw: RawAttachment): RichText => {
  if (raw.is_share) return sharedText(raw);
  if (raw.from_url !== undefined || raw.is_app_unfurl || raw.is_msg_unfurl) return [];
  const footer = plainText(written(raw.footer));
  const parts = present([
    written(raw.pretext),
    titled(raw.author_name, raw.author_link),
    titled(raw.title, raw.title_link),
    written(raw.text),
    ...(raw.fields ?? []).flatMap(({ title, value }) => [boldLine(written(title)), written(value)]),
    blocksText(raw.blocks),
    footer === '' ? [] : [subtext(text(footer))],
  ]);
  if (parts.length > 0) return lines(...parts);
  const { image_url: picture, fallback } = raw;
  return picture === undefined ? written(fallback) : titled(fallback || picture, picture);
};

/** Parses all words of a message: its blocks, or its text where it has none, and its attachments. */
export const parseMessage = ({ blocks, attachments = [], ...raw }: RawSlackMessage): RichText => {
  const shown = blocksText(blocks);
  const own = shown.length > 0 ? shown : parseMrkdwn(raw.text ?? '');
  const parts = [own, ...attachments.map(attachmentText)].filter((tree) => tree.length > 0);
  return withUnicodeEmoji(sections(...parts));
};
