import { normalise } from '../../../src/rich-text/normalise.ts';
import { reduceTo, type PlatformRules, type ReduceOptions } from '../../../src/rich-text/reduce.ts';
import {
  link,
  text,
  type Inline,
  type Link,
  type Mention,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import { flatQuote, mapRows, plainInline } from '../../../src/rich-text/walk.ts';
import { withAddressesApart } from './addresses.ts';
import { PLATFORM } from '../ids.ts';

const id = /^\d{1,20}$/;
const emojiName = /^\w{1,64}$/;
const commandName = /^[-_'\p{L}\p{N} ]{1,100}$/u;
const pageName = /^\w[\w-]{0,40}$/;

const knowsMention = ({ platform, target, id: own, name = '' }: Mention): boolean => {
  if (platform !== PLATFORM) return false;
  if (target === 'broadcast') return own === 'everyone' || own === 'here';
  if (target === 'page') return pageName.test(own);
  if (target === 'command') return id.test(own) && commandName.test(name);
  return target !== 'group' && id.test(own);
};

/** Turns a link whose label looks like an address into text: Discord shows it as written. */
const linkOf = (node: Link): Inline | readonly Inline[] =>
  node.children.length > 0 && plainInline(node.children).includes('://')
    ? [...node.children, text(' ('), link(node.url), text(')')]
    : node;

const rules: PlatformRules = {
  knowsMention,
  knowsEmoji: ({ platform, id: own, name }) =>
    platform === PLATFORM && id.test(own) && emojiName.test(name),
  block: (block) => (block.kind === 'quote' ? flatQuote(block) : block),
  inline: (node) => (node.kind === 'link' ? linkOf(node) : node),
};

/**
 * Reduces a tree to what Discord can hold: besides what is true of any platform, quotes have no
 * depth and labels contain no address.
 */
export const reduceDiscord = (tree: RichText, options: ReduceOptions = {}): RichText =>
  normalise(mapRows(reduceTo(rules, tree, options), withAddressesApart));
