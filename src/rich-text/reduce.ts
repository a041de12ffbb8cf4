import { normalise } from './normalise.ts';
import {
  isSecond,
  mention,
  type Block,
  type CustomEmoji,
  type Inline,
  type Mention,
  type RichText,
  paragraph,
  text,
  type RichTextNode,
} from './rich-text.ts';
import { asText, map, mapBlocks, visit } from './walk.ts';

export interface ReduceOptions {
  /** True for a mention that may notify; others, and all of them by default, become their names. */
  readonly mayNotify?: (mention: Mention) => boolean;
}

/** The nodes that a platform can show, and what stands for the others. */
export interface PlatformRules {
  readonly knowsMention: (mention: Mention) => boolean;
  readonly knowsEmoji: (emoji: CustomEmoji) => boolean;
  /** Gives what stands for a block. */
  readonly block: (block: Block) => Block;
  /** Gives what stands for any inline node but mentions, timestamps and unknown emoji. */
  readonly inline: (node: Inline) => Inline | readonly Inline[];
}

/** A mention as the platform writes it: the platform itself knows the names of all but commands. */
const nameless = (node: Mention): Mention =>
  node.target === 'command' || node.name === undefined
    ? node
    : mention(node.platform, node.target, node.id);

/**
 * Reduces a tree to what a platform can hold: mentions that it does not know or that may not notify,
 * and emoji that it does not know, become their names; moments outside the calendar are left out.
 */
export const reduceTo = (
  { knowsMention, knowsEmoji, block, inline }: PlatformRules,
  tree: RichText,
  { mayNotify }: ReduceOptions,
): RichText => {
  const held = (node: Inline): Inline | readonly Inline[] => {
    if (node.kind === 'mention')
      return knowsMention(node) && mayNotify?.(node) ? nameless(node) : asText(node);
    if (node.kind === 'timestamp') return isSecond(node.seconds) ? node : [];
    return node.kind === 'emoji' && !knowsEmoji(node) ? asText(node) : inline(node);
  };
  return normalise(map(mapBlocks(normalise(tree), block), held));
};

const HIDDEN = text('█████');

/** The tree with a fixed sign for each spoiler and hidden code block, for places that can hide nothing. */
export const withoutSpoilers = (tree: RichText): RichText =>
  map(
    mapBlocks(tree, (block) =>
      block.kind === 'code-block' && block.spoiler ? paragraph(HIDDEN) : block,
    ),
    (node) => (node.kind === 'spoiler' ? HIDDEN : node),
  );

const keyOf = ({ target, id, name }: Mention): string => JSON.stringify([target, id, name]);

/**
 * Gives mentions of a platform the names that `nameOf` finds, asked once for each mention; those that are
 * not picked stay. Rejects as `nameOf` does.
 */
export const withNames = async (
  tree: RichText,
  platform: string,
  nameOf: (node: Mention) => Promise<string | undefined>,
  picks: (node: Mention) => boolean = () => true,
): Promise<RichText> => {
  const isPicked = (node: RichTextNode): node is Mention =>
    node.kind === 'mention' && node.platform === platform && picks(node);
  const asked = new Map<string, Mention>();
  visit(tree, (node) => {
    if (isPicked(node)) asked.set(keyOf(node), node);
  });
  if (asked.size === 0) return tree;
  const found = [...asked].map(async ([key, node]) => [key, await nameOf(node)] as const);
  const names = new Map(await Promise.all(found));
  return map(tree, (node) =>
    isPicked(node) ? mention(platform, node.target, node.id, names.get(keyOf(node))) : node,
  );
};
