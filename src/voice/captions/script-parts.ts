import { confidentLanguage, rankLanguages } from '../../text/language/detect.ts';
import { sameLanguage } from '../../text/language/languages.ts';
import { scriptsOf, type Script } from '../../text/language/scripts.ts';
import { splitSentences } from '../../text/split/sentences.ts';
import { divideWords, lettersOf, timesIn } from '../../text/spoken-times.ts';
import { wordUnits } from '../../text/word-units.ts';
import type { TranscriptEvent } from '../stt/transcript-emitter.ts';
import type { Words } from '../stt/turn-text.ts';

/** Fewest words, or characters of scripts without spaces, that stand alone. */
const FEWEST_WORDS = 3;

const isOf = ({ languages }: Script, language: string): boolean =>
  languages.some((each) => sameLanguage(each, language));

/** The script of a sentence: that of the turn's language where Latin letters are names within it. */
const scriptOf = (sentence: string, language: string): Script | undefined => {
  const scripts = scriptsOf(sentence).map(({ script }) => script);
  return scripts.find((each) => isOf(each, language) && !isOf(each, 'en')) ?? scripts[0];
};

/** Cuts a text where a sentence in another script begins, each part in a language of its script. */
const cutAtScripts = ({ text, language }: Words): readonly Words[] => {
  const runs: string[] = [];
  for (const sentence of splitSentences(text)) {
    const before = runs.at(-1);
    const script = scriptOf(sentence, language);
    const isOther = before && script && script !== scriptOf(before, language);
    if (before === undefined || (isOther && wordUnits(sentence).length >= FEWEST_WORDS))
      runs.push(sentence);
    else runs[runs.length - 1] = before + sentence;
  }
  if (runs.length < 2) return [{ text, language }];
  return runs.map((run) => {
    const script = scriptOf(run, language);
    const detected = confidentLanguage(rankLanguages(run))?.language ?? '';
    return { text: run.trim(), language: script && isOf(script, language) ? language : detected };
  });
};

/** The parts of a turn by script, each with its time; the first one keeps the id of the turn. */
export const scriptParts = (
  event: TranscriptEvent,
  nextId: () => number,
): readonly TranscriptEvent[] => {
  const parts = cutAtScripts(event);
  if (parts.length === 1) return [event];
  const times = timesIn(event);
  let spoken = 0;
  let left = event.words ?? [];
  return parts.map((part, index) => {
    const startMs = index === 0 ? event.startMs : times.begin(spoken);
    const letters = lettersOf(part.text);
    spoken += letters;
    const [words, others] = divideWords(left, letters);
    left = others;
    const id = index === 0 ? event.id : nextId();
    const endMs = index === parts.length - 1 ? event.endMs : times.end(spoken);
    return { ...event, ...part, words, id, startMs, endMs };
  });
};
