import type { RichTextBlock } from '../rich-text/blocks.ts';

/**
 * The blocks of Slack's Block Kit that are written here:
 * https://docs.slack.dev/reference/block-kit/blocks
 */

export interface PlainText {
  readonly type: 'plain_text';
  readonly text: string;
  readonly emoji?: boolean;
}

export interface MrkdwnText {
  readonly type: 'mrkdwn';
  readonly text: string;
  readonly verbatim?: boolean;
}

export interface Option {
  readonly text: PlainText;
  readonly value: string;
}

export type SlackElement = Readonly<Record<string, unknown>> & { readonly type: string };

export type SlackBlock =
  | RichTextBlock
  | { readonly type: 'context'; readonly elements: readonly (PlainText | MrkdwnText)[] }
  | {
      readonly type: 'actions';
      readonly block_id?: string;
      readonly elements: readonly SlackElement[];
    }
  | {
      readonly type: 'section';
      readonly block_id?: string;
      readonly text: PlainText | MrkdwnText;
      readonly accessory?: SlackElement;
    }
  | { readonly type: 'header'; readonly text: PlainText }
  | {
      readonly type: 'image';
      readonly alt_text: string;
      readonly slack_file: { readonly id: string };
    }
  | {
      readonly type: 'input';
      readonly block_id: string;
      readonly label: PlainText;
      readonly element: SlackElement;
      readonly hint?: PlainText;
      readonly optional?: boolean;
    };

/** Words that are never markup; emoji in colons stay words. */
export const plain = (text: string): PlainText => ({ type: 'plain_text', text, emoji: false });
