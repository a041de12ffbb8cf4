import type { StyleKind } from '../../../src/rich-text/rich-text.ts';

/**
 * The `rich_text` block of Slack's Block Kit, as far as it is used here:
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
export interface RichTextBlock {
  readonly type: 'rich_text';
  readonly elements: readonly RichTextPart[];
}

export interface RichTextSection {
  readonly type: 'rich_text_section';
  readonly elements: readonly Element[];
}

export interface RichTextList {
  readonly type: 'rich_text_list';
  readonly style: 'bullet' | 'ordered';
  readonly elements: readonly RichTextSection[];
  /** Depth of the list within other lists. */
  readonly indent?: number;
  /** Number of items of the same numbering before this list. */
  readonly offset?: number;
  /** Border of the list; 1 where it is quoted. */
  readonly border?: 0 | 1;
}

export type RichTextPart =
  | RichTextSection
  | RichTextList
  | {
      readonly type: 'rich_text_preformatted';
      readonly elements: readonly Element[];
      /** Border of the code; 1 where it is quoted. */
      readonly border?: 0 | 1;
    }
  | { readonly type: 'rich_text_quote'; readonly elements: readonly Element[] };

export type Style = Readonly<Partial<Record<StyleKind | 'code', boolean>>>;

export type Element = { readonly style?: Style } & (
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'link'; readonly url: string; readonly text?: string }
  | { readonly type: 'user'; readonly user_id: string }
  | { readonly type: 'usergroup'; readonly usergroup_id: string }
  | { readonly type: 'channel'; readonly channel_id: string }
  | { readonly type: 'broadcast'; readonly range: 'here' | 'channel' | 'everyone' }
  | {
      readonly type: 'emoji';
      readonly name: string;
      /** Code points of a Unicode emoji, in hexadecimal and joined by hyphens. */
      readonly unicode?: string;
      readonly skin_tone?: number;
    }
  | {
      readonly type: 'date';
      readonly timestamp: number;
      readonly format: string;
      readonly url?: string;
      readonly fallback?: string;
    }
  | { readonly type: 'color'; readonly value: string }
  | { readonly type: 'team'; readonly team_id: string }
  | { readonly type: 'canvas'; readonly file_id?: string; readonly title?: string }
);
