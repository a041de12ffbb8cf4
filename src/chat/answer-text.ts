import { parseMarkdown } from '../rich-text/markdown/parse.ts';
import { link, text, type RichText } from '../rich-text/rich-text.ts';
import { map } from '../rich-text/walk.ts';

/**
 * Gives what a language model wrote, in Markdown, as rich text. Each link shows its address beside its label: words of others
 * that the model was given may have chosen both.
 */
export const answerText = (markdown: string): RichText =>
  map(parseMarkdown(markdown), (node) =>
    node.kind === 'link' && node.children.length > 0
      ? [...node.children, text(' ('), link(node.url), text(')')]
      : node,
  );
