import { paragraph, text, type RichText } from './rich-text.ts';
import { map, mapBlocks } from './walk.ts';

const HIDDEN = text('█████');

/** The tree with a fixed sign for each spoiler and hidden code block, for places that can hide nothing. */
export const withoutSpoilers = (tree: RichText): RichText =>
  map(
    mapBlocks(tree, (block) =>
      block.kind === 'code-block' && block.spoiler ? paragraph(HIDDEN) : block,
    ),
    (node) => (node.kind === 'spoiler' ? HIDDEN : node),
  );
