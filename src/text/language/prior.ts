import type { LanguagePrior } from './detect.ts';

/** Weight of what anybody may write, in lines. */
const ANYBODY_LINES = 2;
/** Languages that anybody may write in, all alike. */
const ANYBODY_LANGUAGES = 40;
/** Most lines for which the lines of other people count. */
const MOST_OTHERS_LINES = 2;

/** Languages of what was written before. */
export interface WrittenBefore {
  /** Languages of the writer's last lines. */
  readonly own: readonly string[];
  /** Languages of the last lines of everybody in the place. */
  readonly place: readonly string[];
}

const countOf = (lines: readonly string[], language: string): number =>
  lines.reduce((count, each) => count + (each === language ? 1 : 0), 0);

/** The prior of a writer: how often they, and the others of the place, used each language lately. */
export const priorOf = ({ own, place }: WrittenBefore): LanguagePrior => {
  const placeLines = Math.min(MOST_OTHERS_LINES, place.length);
  const lines = own.length + placeLines + ANYBODY_LINES;
  return (language) => {
    const used =
      countOf(own, language) +
      (place.length > 0 ? (placeLines * countOf(place, language)) / place.length : 0) +
      ANYBODY_LINES / ANYBODY_LANGUAGES;
    return Math.log((used * ANYBODY_LANGUAGES) / lines);
  };
};
