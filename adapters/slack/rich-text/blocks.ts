/**
 * The `rich_text` block of Slack's Block Kit, as far as it is used here:
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
export interface RichTextBlock {
  readonly type: 'rich_text';
  readonly elements: readonly RichTextPart[];
}

export type RichTextPart =
  | { readonly type: 'rich_text_section'; readonly elements: readonly Element[] }
  | {
      readonly type: 'rich_text_list';
      readonly style: 'bullet' | 'ordered';
      readonly elements: readonly {
        readonly type: 'rich_text_section';
        readonly elements: readonly Element[];
      }[];
      /** Depth of the list within other lists. */
      readonly indent?: number;
      /** Number of items of the same numbering before this list. */
      readonly offset?: number;
      /** Border of the list; 1 where it is quoted. */
      readonly border?: 0 | 1;
    }
  | {
      readonly type: 'rich_text_preformatted';
      readonly elements: readonly Element[];
      /** Border of the code; 1 where it is quoted. */
      readonly border?: 0 | 1;
    }
  | { readonly type: 'rich_text_quote'; readonly elements: readonly Element[] };

export interface Style {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
}

export type Element =
  | { readonly type: 'text'; readonly text: string; readonly style?: Style }
  | { readonly type: 'link'; readonly url: string; readonly text?: string; readonly style?: Style }
  | { readonly type: 'user'; readonly user_id: string; readonly style?: Style }
  | { readonly type: 'usergroup'; readonly usergroup_id: string; readonly style?: Style }
  | { readonly type: 'channel'; readonly channel_id: string; readonly style?: Style }
  | {
      readonly type: 'broadcast';
      readonly range: 'here' | 'channel' | 'everyone';
      readonly style?: Style;
    }
  | {
      readonly type: 'emoji';
      readonly name: string;
      /** Code points of a Unicode emoji, in hexadecimal and joined by hyphens. */
      readonly unicode?: string;
      readonly skin_tone?: number;
      readonly style?: Style;
    }
  | {
      readonly type: 'date';
      readonly timestamp: number;
      readonly format: string;
      readonly url?: string;
      readonly fallback?: string;
      readonly style?: Style;
    }
  | { readonly type: 'color'; readonly value: string; readonly style?: Style };
