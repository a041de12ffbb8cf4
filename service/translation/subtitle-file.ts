const TIMES = /^\s*(?:\d+:)?\d{1,2}:\d{2}[.,]\d{3}\s+-->/;
/** Beginning of a line of one of several speakers. */
const TURN = /^\s*[-–—]/;

/** A caption whose words are `lines`, and what stands around it. */
interface Caption {
  readonly head: string;
  /** Sentences, each in one line. */
  readonly lines: readonly string[];
  /** True where one sentence stood in several lines. */
  readonly isBroken: boolean;
}

/** Breaks a line in two at the space that is nearest to its middle. */
const inTwo = (line: string): string => {
  const middle = line.length / 2;
  const spaces = Array.from(line.matchAll(/ /g), ({ index }) => index);
  const [nearest] = spaces.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  return nearest === undefined ? line : `${line.slice(0, nearest)}\n${line.slice(nearest + 1)}`;
};

const captionIn = (block: string): Caption | undefined => {
  const all = block.split('\n');
  const times = all.findIndex((line) => TIMES.test(line));
  const words = all.slice(times + 1);
  if (times < 0 || words.length === 0) return undefined;
  const areTurns = words.some((line) => TURN.test(line));
  return {
    head: `${all.slice(0, times + 1).join('\n')}\n`,
    lines: areTurns ? words : [words.map((line) => line.trim()).join(' ')],
    isBroken: !areTurns && words.length > 1,
  };
};

/** UTF-16 units of captions that are translated together. */
const TOGETHER = 2_000;

/**
 * Translates the words of subtitles (SRT, WebVTT); numbers, times, headers and notes stay as they are.
 *
 * @param translate translates a text, in which several captions stand line by line
 */
export const translateSubtitles = async (
  text: string,
  translate: (text: string) => Promise<string>,
): Promise<string> => {
  const blocks = text.split(/(\n\s*\n\s*|\n\s*$)/).map((block) => captionIn(block) ?? block);
  const lines = blocks.flatMap((block) => (typeof block === 'string' ? [] : block.lines));
  const made: string[] = [];
  while (made.length < lines.length) {
    let end = made.length + 1;
    let size = lines[made.length]?.length ?? 0;
    while (end < lines.length && size + (lines[end]?.length ?? 0) <= TOGETHER) {
      size += lines[end]?.length ?? 0;
      end += 1;
    }
    const asked = lines.slice(made.length, end);
    const together = (await translate(asked.join('\n'))).split('\n');
    if (together.length === asked.length) made.push(...together);
    else for (const line of asked) made.push((await translate(line)).replaceAll(/\s*\n\s*/g, ' '));
  }
  return blocks
    .map((block) => {
      if (typeof block === 'string') return block;
      const own = made.splice(0, block.lines.length);
      return block.head + own.map((line) => (block.isBroken ? inTwo(line) : line)).join('\n');
    })
    .join('');
};
