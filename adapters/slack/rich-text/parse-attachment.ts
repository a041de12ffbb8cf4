import { lines, sentence } from '../../../src/rich-text/compose.ts';
import {
  link,
  mention,
  quote,
  styled,
  subtext,
  text,
  type Inline,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import type { RawAttachment } from '../inbound/raw-message.ts';
import { PLATFORM } from './atoms.ts';
import { blocksText, present } from './parse-block-kit.ts';
import { parseMrkdwn } from './parse-mrkdwn.ts';

const written = (markup: string | undefined): RichText => (markup ? parseMrkdwn(markup) : []);

/** A line that may be a link. */
const titled = (markup: string | undefined, url: string | undefined): RichText => {
  const tree = written(markup);
  const words = plainText(tree).replaceAll('\n', ' ');
  if (words === '') return [];
  return url === undefined ? tree : sentence(link(url, text(words)));
};

const bold = (tree: RichText): RichText => {
  const words = plainText(tree).replaceAll('\n', ' ');
  return words === '' ? [] : sentence(styled('bold', text(words)));
};

const rowOfName = (name: string | undefined): readonly Inline[] =>
  name ? [styled('bold', text(name))] : [];

/** Another message that was shared, as a quotation of its author. */
const sharedText = (raw: RawAttachment): RichText => {
  const blocks = (raw.message_blocks ?? []).map(({ message }) => blocksText(message?.blocks));
  const shown = present(blocks);
  const said = shown.length > 0 ? lines(...shown) : written(raw.text ?? raw.fallback);
  const by: readonly Inline[] =
    raw.author_id === undefined
      ? rowOfName(raw.author_name)
      : [mention(PLATFORM, 'member', raw.author_id, raw.author_name)];
  return [quote(...(by.length === 0 ? [] : sentence(...by)), ...said)];
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
    ...(raw.fields ?? []).flatMap(({ title, value }) => [bold(written(title)), written(value)]),
    blocksText(raw.blocks),
    footer === '' ? [] : [subtext(text(footer))],
  ]);
  if (parts.length > 0) return lines(...parts);
  const { image_url: picture, fallback } = raw;
  return picture === undefined ? written(fallback) : titled(fallback || picture, picture);
};
