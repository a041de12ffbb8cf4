import { signedText } from '../../../src/rich-text/tone.ts';
import type { NamedContent } from '../mentions.ts';
import { type ReduceOptions, withoutSpoilers } from '../../../src/rich-text/reduce.ts';
import {
  paragraph,
  type Block,
  type Inline,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import { grouped, plainInline } from '../../../src/rich-text/walk.ts';
import type { MirrorFile } from '../../../src/ports/mirrors.ts';
import { asTextFile } from '../../../src/rich-text/markdown/render.ts';
import { richTextPieces } from '../../../src/text/split/split-rich-text.ts';
import {
  CAPABILITIES,
  CONTEXT_CHARS,
  CONTEXT_ELEMENTS,
  FILES,
  MESSAGE_BLOCKS,
  TEXT_BYTES,
} from '../limits.ts';
import { renderSlackBlocks } from '../rich-text/render-blocks.ts';
import { renderMrkdwn, withoutBroadcasts } from '../rich-text/render-mrkdwn.ts';
import {
  plain,
  type MrkdwnText,
  type PlainText,
  type SlackBlock,
  controlBlocks,
} from './blocks.ts';

/** One message of Slack, with the files that follow it. */
export interface Part {
  /** The text of notifications and screen readers. */
  readonly text: string;
  readonly blocks: readonly SlackBlock[];
  readonly files: readonly MirrorFile[];
}

/** More than this nobody wants to scroll through: the whole text comes as a file then. */
const PARTS_LIMIT = 5;

/** The name of a channel notifies nobody; those of people and groups are words. */
const QUIET: ReduceOptions = { mayNotify: ({ target }) => target === 'channel' };

const bytes = (written: string): number => Buffer.byteLength(written);

/** The fallback of a text in Slack's markup. */
export const fallbackOf = (tree: RichText): string => renderMrkdwn(tree, QUIET);

/** The text of a message beside its blocks: nothing in it can notify, not even what stands in code. */
export const notificationOf = (tree: RichText): string => withoutBroadcasts(fallbackOf(tree));

const isMarkup = ({ kind }: Inline): boolean =>
  kind === 'link' || kind === 'mention' || kind === 'timestamp';

/** Small letters: Slack has them in context blocks alone. Links, channels and times are markup there. */
const contextElement = (nodes: readonly [Inline, ...Inline[]]): PlainText | MrkdwnText => {
  const [first] = nodes;
  return isMarkup(first)
    ? { type: 'mrkdwn', text: fallbackOf([paragraph(...nodes)]), verbatim: true }
    : plain(plainInline(nodes));
};

const smallBlock = (block: Block & { readonly kind: 'subtext' }): SlackBlock => {
  const elements = grouped(block.children, (node) => (isMarkup(node) ? node : 'words'))
    .map(contextElement)
    .filter((element) => element.text.trim() !== '');
  const fits =
    elements.length <= CONTEXT_ELEMENTS &&
    elements.every((element) => element.text.length <= CONTEXT_CHARS);
  return elements.length > 0 && fits
    ? { type: 'context', elements }
    : renderSlackBlocks([block], QUIET);
};

const isShown = (block: SlackBlock): boolean =>
  block.type !== 'rich_text' || block.elements.length > 0;

/** Blocks of one text; the rest of a message's is for controls. */
const TEXT_BLOCKS = MESSAGE_BLOCKS - CAPABILITIES.controlRows;

/** Writes a text as blocks: small lines apart, unless there are too many of them. */
export const textBlocks = (tree: RichText): readonly SlackBlock[] => {
  const groups = grouped(tree, (block) => (block.kind === 'subtext' ? block : 'text'));
  if (groups.length > TEXT_BLOCKS) return [renderSlackBlocks(tree, QUIET)];
  return groups
    .map((group): SlackBlock => {
      const [first] = group;
      return first.kind === 'subtext' ? smallBlock(first) : renderSlackBlocks(group, QUIET);
    })
    .filter(isShown);
};

/** A text as one message. */
export const renderPart = (tree: RichText): Part => ({
  text: notificationOf(tree),
  blocks: textBlocks(tree),
  files: [],
});

/**
 * Cuts a text into messages that can be posted and updated; none for an empty text.
 *
 * @param room bytes that stay free in each of them
 * @param most messages after which the rest is left out
 */
export const textParts = (tree: RichText, room = 0, most = Infinity): readonly RichText[] =>
  richTextPieces(withoutSpoilers(tree), {
    render: fallbackOf,
    limit: TEXT_BYTES - room,
    measure: bytes,
  })
    .map((piece) => piece.tree)
    .take(most)
    .toArray();

/**
 * Cuts content into messages, at least one. Very long texts are shown in part, with the whole text as a file.
 *
 * @param takesFiles false where Slack refuses files: a text is then shown whole
 */
export const render = (content: NamedContent, takesFiles = true): readonly [Part, ...Part[]] => {
  const pieces = textParts(signedText(content), 0, takesFiles ? PARTS_LIMIT + 1 : undefined);
  const isLong = takesFiles && pieces.length > PARTS_LIMIT;
  const shown = isLong ? pieces.slice(0, PARTS_LIMIT - 1) : pieces;
  const files = [...(content.files ?? []), ...(isLong ? [asTextFile(content.text)] : [])];
  const parts = shown.map(renderPart);
  const last = parts.pop() ?? { text: '', blocks: [], files: [] };
  const controls = controlBlocks(content.controls);
  const ending = { ...last, blocks: [...last.blocks, ...controls], files: files.slice(0, FILES) };
  const [first, ...rest] = parts;
  return first ? [first, ...rest, ending] : [ending];
};

export const filesOf = (parts: readonly Part[]): readonly MirrorFile[] =>
  parts.flatMap(({ files }) => files);
