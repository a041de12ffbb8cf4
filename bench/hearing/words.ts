/** How a transcript differs from what was said, in words. */
export interface WordErrors {
  /** Words that were said. */
  readonly words: number;
  readonly wrong: number;
  readonly deleted: number;
  readonly invented: number;
  /** Most words that are missing in a row. */
  readonly hole: number;
}

/** Scripts without spaces between words: each character counts as one. */
const UNIT =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]\p{M}*|(?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}])[\p{L}\p{N}\p{M}'])+/gu;

/** The words of a text without case and punctuation. */
export const wordsOf = (text: string): readonly string[] =>
  text.normalize('NFKC').toLowerCase().replaceAll('’', "'").match(UNIT) ?? [];

/** The cheapest way from what was said to what was heard: 0 the same, 1 wrong, 2 deleted, 3 invented. */
const stepsBetween = (said: readonly string[], heard: readonly string[]): readonly number[] => {
  const width = heard.length + 1;
  const steps = new Uint8Array((said.length + 1) * width);
  steps.fill(3, 1, width);
  let above = Uint32Array.from({ length: width }, (_, at) => at);
  for (const [row, word] of said.entries()) {
    const costs = new Uint32Array(width);
    costs[0] = row + 1;
    steps[(row + 1) * width] = 2;
    for (let column = 1; column < width; column += 1) {
      const isSame = word === heard[column - 1];
      const choices = [
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        (above[column] ?? 0) + 1,
        (costs[column - 1] ?? 0) + 1,
      ];
      const cost = Math.min(...choices);
      const choice = choices.indexOf(cost);
      costs[column] = cost;
      steps[(row + 1) * width + column] = choice === 0 && isSame ? 0 : choice + 1;
    }
    above = costs;
  }
  const way: number[] = [];
  for (let row = said.length, column = heard.length; row > 0 || column > 0;) {
    const step = steps[row * width + column] ?? 0;
    way.push(step);
    if (step !== 3) row -= 1;
    if (step !== 2) column -= 1;
  }
  return way.toReversed();
};

/** Counts the differences between what was said and what was heard. */
export const compareWords = (said: string, heard: string): WordErrors => {
  const words = wordsOf(said);
  const way = stepsBetween(words, wordsOf(heard));
  const count = (step: number): number => way.filter((one) => one === step).length;
  const holes = way.join('').match(/2+/g) ?? [];
  return {
    words: words.length,
    wrong: count(1),
    deleted: count(2),
    invented: count(3),
    hole: Math.max(0, ...holes.map(({ length }) => length)),
  };
};
