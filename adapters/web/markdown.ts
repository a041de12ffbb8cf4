import MarkdownIt from 'markdown-it';
import { WEB_LIMITS } from './limits.ts';

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true }).disable('image');
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

const linkOpen = markdown.renderer.rules['link_open'];
markdown.renderer.rules['link_open'] = (tokens, index, options, env, self) => {
  const token = tokens[index];
  token?.attrSet('target', '_blank');
  token?.attrSet('rel', 'noopener noreferrer');
  return linkOpen
    ? linkOpen(tokens, index, options, env, self)
    : self.renderToken(tokens, index, options);
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (char) => ESCAPES[char] ?? char);

/** A line as it was typed, with its line breaks. */
const plainHtml = (text: string): string =>
  text === '' ? '' : `<p class="as-typed">${escapeHtml(text)}</p>`;

/** Safe HTML of the chats' Markdown: no HTML of the author's, no images, links in a new window. */
export const toHtml = (text: string): string =>
  text.length > WEB_LIMITS.markdownChars ? plainHtml(text) : markdown.render(text);
