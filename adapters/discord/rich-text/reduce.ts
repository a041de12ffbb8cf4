import { normalise } from '../../../src/model/normalise-rich-text.ts';
import {
  link,
  text,
  type Block,
  type CustomEmoji,
  type Inline,
  type Link,
  type Mention,
  type RichText,
} from '../../../src/model/rich-text.ts';
import { asText, map, mapRows, plainInline } from '../../../src/model/walk-rich-text.ts';
import { withAddressesApart } from './addresses.ts';
import { PLATFORM } from '../ids.ts';
import { LAST_SECOND } from './atoms.ts';

export interface DiscordOptions {
  /** True for a mention that may notify; others, and all of them by default, become their names. */
  readonly live?: (mention: Mention) => boolean;
}

const id = /^\d{1,20}$/;
const emojiName = /^\w{1,64}$/;
const commandName = /^[-_'\p{L}\p{N} ]{1,100}$/u;
const pageName = /^\w[\w-]{0,40}$/;

const isKnown = ({ platform, target, id: own, name = '' }: Mention): boolean => {
  if (platform !== PLATFORM) return false;
  switch (target) {
    case 'member':
    case 'role':
    case 'channel':
      return id.test(own);
    case 'command':
      return id.test(own) && commandName.test(name);
    case 'page':
      return pageName.test(own);
    case 'broadcast':
      return own === 'everyone' || own === 'here';
    case 'group':
      return false;
  }
};

const mentionOf = (node: Mention, { live }: DiscordOptions): Inline => {
  if (!isKnown(node) || !live?.(node)) return asText(node);
  if (node.target === 'command' || node.name === undefined) return node;
  const { kind, platform, target, id: own } = node;
  return { kind, platform, target, id: own };
};

/** Turns a link whose label looks like an address into text: Discord shows it as written. */
const linkOf = (node: Link): Inline | readonly Inline[] =>
  node.children.length > 0 && plainInline(node.children).includes('://')
    ? [...node.children, text(' ('), link(node.url), text(')')]
    : node;

const isKnownEmoji = ({ platform, id: own, name }: CustomEmoji): boolean =>
  platform === PLATFORM && id.test(own) && emojiName.test(name);

/** Replaces the nodes that Discord has no markup for. */
const held =
  (options: DiscordOptions) =>
  (node: Inline): Inline | readonly Inline[] => {
    switch (node.kind) {
      case 'mention':
        return mentionOf(node, options);
      case 'emoji':
        return isKnownEmoji(node) ? node : asText(node);
      case 'timestamp':
        return Number.isInteger(node.seconds) && Math.abs(node.seconds) <= LAST_SECOND ? node : [];
      case 'link':
        return linkOf(node);
      case 'text':
      case 'code':
      case 'bold':
      case 'italic':
      case 'underline':
      case 'strike':
      case 'spoiler':
        return node;
    }
  };

const isNested = (block: Block): boolean =>
  block.kind === 'quote' && block.children.some(({ kind }) => kind === 'quote');

/** Flattens quotes within quotes, which Discord does not have. */
const flatQuotes = (blocks: RichText): RichText =>
  blocks.some(isNested)
    ? blocks.map((block) =>
        block.kind === 'quote' ? { ...block, children: unquoted(block.children) } : block,
      )
    : blocks;

const unquoted = (blocks: readonly Block[]): readonly Block[] =>
  blocks.flatMap((block) => (block.kind === 'quote' ? unquoted(block.children) : [block]));

/**
 * Reduces a tree to what Discord can hold: mentions and custom emoji of other platforms, and
 * mentions that are not `live`, become their names; quotes have no depth; labels contain no
 * address.
 */
export const reduceDiscord = (tree: RichText, options: DiscordOptions = {}): RichText => {
  const known = normalise(map(flatQuotes(normalise(tree)), held(options)));
  return normalise(mapRows(known, withAddressesApart));
};
