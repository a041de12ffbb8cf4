import type { Json } from '../json.ts';

/** An element of a `rich_text` block, as far as its text is read from it. */
export interface ComposedElement extends Json {
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
  readonly user_id?: string;
  readonly channel_id?: string;
  readonly usergroup_id?: string;
  readonly range?: string;
  readonly name?: string;
  /** Styles of words; of a list its kind. */
  readonly style?: Readonly<Record<string, boolean>> | string;
  readonly elements?: readonly ComposedElement[];
}

/** What a person writes: plain words, or the elements of Slack's composer. */
export type Composed =
  | string
  | { readonly elements: readonly ComposedElement[] }
  | {
      readonly text: string;
      readonly blocks?: readonly Json[];
      readonly attachments?: readonly Json[];
    };

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The mrkdwn that Slack sends beside the blocks of its composer. */
const mrkdwnOf = (element: ComposedElement): string => {
  switch (element.type) {
    case 'text': {
      const style = typeof element.style === 'object' ? element.style : {};
      const marks = (
        [
          ['code', '`'],
          ['bold', '*'],
          ['italic', '_'],
          ['strike', '~'],
        ] as const
      ).flatMap(([name, mark]) => (style[name] ? [mark] : []));
      return `${marks.join('')}${escape(element.text ?? '')}${marks.toReversed().join('')}`;
    }
    case 'link': {
      const label = element.text;
      return label === undefined ? `<${element.url}>` : `<${element.url}|${escape(label)}>`;
    }
    case 'user':
      return `<@${element.user_id}>`;
    case 'channel':
      return `<#${element.channel_id}>`;
    case 'usergroup':
      return `<!subteam^${element.usergroup_id}>`;
    case 'broadcast':
      return `<!${element.range}>`;
    case 'emoji':
      return `:${element.name}:`;
    default:
      return (element.elements ?? []).map(mrkdwnOf).join('');
  }
};

/** A message as Slack's composer sends it. */
export const composed = (
  words: Composed,
): {
  readonly text: string;
  readonly blocks: readonly Json[] | undefined;
  readonly attachments?: readonly Json[] | undefined;
} => {
  if (typeof words !== 'string' && 'text' in words)
    return { text: words.text, blocks: words.blocks, attachments: words.attachments };
  const elements =
    typeof words !== 'string'
      ? words.elements
      : words === ''
        ? []
        : [{ type: 'rich_text_section', elements: [{ type: 'text', text: words }] }];
  return {
    text: elements.map(mrkdwnOf).join(''),
    blocks: elements.length === 0 ? undefined : [{ type: 'rich_text', block_id: 'b', elements }],
  };
};
