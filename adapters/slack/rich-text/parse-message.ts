import { sections } from '../../../src/rich-text/compose.ts';
import type { RichText } from '../../../src/rich-text/rich-text.ts';
import type { RawSlackMessage } from '../inbound/raw-message.ts';
import { withUnicodeEmoji } from './emoji.ts';
import { attachmentText } from './parse-attachment.ts';
import { blocksText } from './parse-block-kit.ts';
import { parseMrkdwn } from './parse-mrkdwn.ts';

/** Parses all words of a message: its blocks, or its text where it has none, and its attachments. */
export const parseMessage = ({ text, blocks, attachments = [] }: RawSlackMessage): RichText => {
  const shown = blocksText(blocks);
  const own = shown.length > 0 ? shown : parseMrkdwn(text ?? '');
  const parts = [own, ...attachments.map(attachmentText)].filter((tree) => tree.length > 0);
  return withUnicodeEmoji(sections(...parts));
};
