import { SEPARATOR, type RichText } from '../../../src/rich-text/rich-text.ts';
import { withoutSpoilers } from '../../../src/rich-text/reduce.ts';
import { renderMarkdown } from '../../../src/rich-text/markdown/render.ts';

/** The sign before a word or an id that notifies. Addresses are written without such signs. */
const calling = /@(?=here|channel|everyone)|<(?=[@!])/gi;

/** The end of a text that may yet become a word that notifies. */
const unfinished = /@[a-z]{0,8}$/i;

/**
 * Writes a text as Markdown for a stream of Slack's: nothing in it can notify, not even what stands in
 * code, and nothing that spoilers hide is shown.
 *
 * @param isGrowing true to leave out a last word that more letters could change
 */
export const renderStreamed = (tree: RichText, isGrowing: boolean): string => {
  const written = renderMarkdown(withoutSpoilers(tree)).replaceAll(calling, `$&${SEPARATOR}`);
  return isGrowing ? written.replace(unfinished, '') : written;
};
