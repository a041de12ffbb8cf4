import { serveParent } from '../../../src/process/serve-parent.ts';
import type { TokenMeanings } from '../../../src/text/protect/meanings.ts';
import { loadBergamot, type BergamotLibrary } from './library.ts';
import type { TranslationModel } from './model.ts';
import { htmlToRuns, runsToHtml } from '../../translation/run-tags.ts';
import { translateWithSlots } from '../../translation/with-slots.ts';
import { readVocabulary, type Vocabulary } from './vocabulary.ts';

export interface BergamotRequest {
  readonly route: readonly TranslationModel[];
  readonly text: string;
  /** Meanings of the tokens in the text. */
  readonly tokens: TokenMeanings;
}

let loading: Promise<BergamotLibrary> | undefined;

/** Vocabularies by the paths of their files. */
const vocabularies = new Map<string, Promise<Vocabulary>>();

const vocabularyOf = async ([first]: readonly TranslationModel[]): Promise<Vocabulary> => {
  const path = first?.vocabularies[0] ?? '';
  const reading = vocabularies.get(path) ?? readVocabulary(path);
  vocabularies.set(path, reading);
  return reading;
};

serveParent(async ({ route, text, tokens }: BergamotRequest): Promise<string> => {
  try {
    const library = await (loading ??= loadBergamot());
    return await translateWithSlots(text, tokens, {
      words: async (texts) => library.translate(route, texts, false),
      runs: async (runs) => {
        const [html = ''] = await library.translate(route, [runsToHtml(runs)], true);
        return htmlToRuns(html);
      },
      reads: await vocabularyOf(route),
    });
  } catch (error) {
    // A module that has stopped once answers nothing any more: the next call loads another.
    loading = undefined;
    vocabularies.clear();
    throw error;
  }
});
