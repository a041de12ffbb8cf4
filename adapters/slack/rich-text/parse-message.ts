import { lines, plainWords, sections } from '../../../src/model/compose-rich-text.ts';
import type { RichText } from '../../../src/model/rich-text.ts';
import {
  isRichText,
  type RawAttachment,
  type RawBlock,
  type RawSlackMessage,
} from '../inbound/raw-message.ts';
import { withUnicodeEmoji } from './emoji.ts';
import { parseMrkdwn } from './parse-mrkdwn.ts';
import { parseSlackBlocks } from './parse-blocks.ts';

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** The text of a text object; empty for anything else. */
const textOf = (value: unknown): RichText => {
  const written = fieldOf(value, 'text');
  if (typeof written !== 'string') return [];
  return fieldOf(value, 'type') === 'mrkdwn' ? parseMrkdwn(written) : plainWords(written);
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The words of a block; nothing for controls, pictures and dividers. */
const blockText = (raw: RawBlock): RichText => {
  if (isRichText(raw)) return parseSlackBlocks(raw);
  switch (raw.type) {
    case 'section':
      return lines(textOf(raw['text']), ...listOf(raw['fields']).map(textOf));
    case 'header':
      return textOf(raw['text']);
    case 'context':
      return lines(...listOf(raw['elements']).map(textOf));
    case 'markdown':
      return plainWords(typeof raw['text'] === 'string' ? raw['text'] : '');
    case 'image':
      return textOf(raw['title']);
    default:
      return [];
  }
};

const present = (trees: readonly RichText[]): readonly RichText[] =>
  trees.filter((tree) => tree.length > 0);

const blocksText = (blocks: readonly RawBlock[] = []): RichText =>
  lines(...present(blocks.map(blockText)));

/** The words of an attachment, but not of the preview of a link. */
const attachmentText = (raw: RawAttachment): RichText => {
  if (raw.is_share)
    return lines(
      ...present((raw.message_blocks ?? []).map(({ message }) => blocksText(message?.blocks))),
    );
  if (raw.from_url !== undefined) return [];
  const parts = [
    raw.pretext,
    raw.title,
    raw.text,
    ...(raw.fields ?? []).flatMap(({ title, value }) => [title, value]),
  ].flatMap((part) => (part ? [parseMrkdwn(part)] : []));
  return lines(...present([...parts, blocksText(raw.blocks)]));
};

/** Parses all words of a message: its blocks, or its text where it has none, and its attachments. */
export const parseMessage = ({ text, blocks, attachments = [] }: RawSlackMessage): RichText => {
  const shown = blocksText(blocks);
  const own = shown.length > 0 ? shown : parseMrkdwn(text ?? '');
  return withUnicodeEmoji(sections(...present([own, ...attachments.map(attachmentText)])));
};
