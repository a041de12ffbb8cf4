import { serveParent } from '../../../src/process/child.ts';
import { loadBergamot, type BergamotLibrary } from './library.ts';
import { htmlToTokens, hasTokens, keepsTokens, splitAtTokens, tokensToHtml } from './markup.ts';
import type { TranslationModel } from './model.ts';

export interface BergamotRequest {
  readonly route: readonly TranslationModel[];
  readonly text: string;
}

let loading: Promise<BergamotLibrary> | undefined;

/** Translates what is between the tokens, for a text of which the library lost one. */
const translateAround = async (
  library: BergamotLibrary,
  { route, text }: BergamotRequest,
): Promise<string> => {
  const parts = splitAtTokens(text);
  const plain = parts.filter((part) => !hasTokens(part) && part.trim() !== '');
  const translated = await library.translate(
    route,
    plain.map((part) => part.trim()),
    false,
  );
  return parts
    .map((part) => {
      const found = translated[plain.indexOf(part)];
      return found === undefined ? part : part.replace(part.trim(), () => found.trim());
    })
    .join('');
};

const translate = async (library: BergamotLibrary, request: BergamotRequest): Promise<string> => {
  const { route, text } = request;
  if (!hasTokens(text)) return (await library.translate(route, [text], false))[0] ?? '';
  const [markup = ''] = await library.translate(route, [tokensToHtml(text)], true);
  const translated = htmlToTokens(markup);
  return keepsTokens(text, translated) ? translated : translateAround(library, request);
};

serveParent(async (request: BergamotRequest): Promise<string> => {
  try {
    return await translate(await (loading ??= loadBergamot()), request);
  } catch (error) {
    // A module that has stopped once answers nothing any more: the next call loads another.
    loading = undefined;
    throw error;
  }
});
