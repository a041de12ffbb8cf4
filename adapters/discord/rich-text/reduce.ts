import { normalise } from '../../../src/model/normalise-rich-text.ts';
import {
  isSecond,
  link,
  text,
  type CustomEmoji,
  type Inline,
  type Link,
  type Mention,
  type RichText,
} from '../../../src/model/rich-text.ts';
import {
  asText,
  flatQuote,
  map,
  mapBlocks,
  mapRows,
  plainInline,
} from '../../../src/model/walk-rich-text.ts';
import { withAddressesApart } from './addresses.ts';
import { PLATFORM } from '../ids.ts';

export interface ReduceOptions {
  /** True for a mention that may notify; others, and all of them by default, become their names. */
  readonly live?: (mention: Mention) => boolean;
}

const id = /^\d{1,20}$/;
const emojiName = /^\w{1,64}$/;
const commandName = /^[-_'\p{L}\p{N} ]{1,100}$/u;
const pageName = /^\w[\w-]{0,40}$/;

const isKnown = ({ platform, target, id: own, name = '' }: Mention): boolean => {
  if (platform !== PLATFORM) return false;
  if (target === 'broadcast') return own === 'everyone' || own === 'here';
  if (target === 'page') return pageName.test(own);
  if (target === 'command') return id.test(own) && commandName.test(name);
  return target !== 'group' && id.test(own);
};

const mentionOf = (node: Mention, { live }: ReduceOptions): Inline => {
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

/** Replaces a node that Discord has no markup for. */
const held = (node: Inline, options: ReduceOptions): Inline | readonly Inline[] => {
  if (node.kind === 'mention') return mentionOf(node, options);
  if (node.kind === 'emoji') return isKnownEmoji(node) ? node : asText(node);
  if (node.kind === 'timestamp') return isSecond(node.seconds) ? node : [];
  return node.kind === 'link' ? linkOf(node) : node;
};

/**
 * Reduces a tree to what Discord can hold: mentions and custom emoji of other platforms, and
 * mentions that are not `live`, become their names; quotes have no depth; labels contain no
 * address.
 */
export const reduceDiscord = (tree: RichText, options: ReduceOptions = {}): RichText => {
  const flat = mapBlocks(normalise(tree), (block) =>
    block.kind === 'quote' ? flatQuote(block) : block,
  );
  const known = normalise(map(flat, (node) => held(node, options)));
  return normalise(mapRows(known, withAddressesApart));
};
