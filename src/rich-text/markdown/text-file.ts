import type { OutgoingFile } from '../../model/file.ts';
import type { RichText } from '../rich-text.ts';
import { withoutSpoilers } from '../without-spoilers.ts';
import { renderMarkdown } from './render.ts';

/** A text too long for messages, as Markdown without what its spoilers hide: a file shows all that it holds. */
export const asTextFile = (tree: RichText): OutgoingFile => ({
  name: 'text.txt',
  mediaType: 'text/plain; charset=utf-8',
  bytes: new TextEncoder().encode(renderMarkdown(withoutSpoilers(tree))),
});
