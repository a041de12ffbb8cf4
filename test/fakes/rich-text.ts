import { styled, type Inline, type RichText } from '../../src/rich-text/rich-text.ts';
import { parseMarkdown } from '../../src/rich-text/markdown/parse.ts';
import { renderMarkdown } from '../../src/rich-text/markdown/render.ts';

/** A tree written as Markdown. */
export const rich = (markdown: string): RichText => parseMarkdown(markdown);

/** A tree as Markdown, to be compared in a test; a mention is its name with its sign. */
export const markdownOf = (tree: RichText): string => renderMarkdown(tree);

export const bold = (...children: readonly Inline[]): Inline => styled('bold', ...children);
export const italic = (...children: readonly Inline[]): Inline => styled('italic', ...children);
