import type { WordRun } from '../../translation/markup.ts';

/** Suffix of a text: `lt-proc -b` holds the last word back until something follows it. */
export const END_OF_TEXT = '[][\n]';

/** Escapes special characters, and removes NULs, which end a text in the stream format. */
const escape = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(/[[\]{}^$/\\@<>]/g, String.raw`\$&`);

/** A word, which a blank can be bound to. */
const WORD = /[\p{L}\p{N}](?:\S*[\p{L}\p{N}])?/gu;
/** A word-bound blank, its end, a superblank, or an escaped character. */
const PIECE = /\[\[\/\]\]|\[\[(?<tags>[^\]]*)\]\]|\[(?<blank>[^\]]*)\]|\\(?<escaped>[^])/g;
const TAG = /t:(?<kind>[wp]):(?<place>\d+)/g;
const HOLE = /^h(\d+)$/;

/**
 * Writes runs in Apertium's stream format (wiki.apertium.org, "Apertium stream format"): what a word
 * belongs to as blanks bound to it, which every stage moves with it, and holes as superblanks, which
 * every stage passes on.
 */
export const toStream = (runs: readonly WordRun[]): string =>
  runs
    .map(({ text, word, hole, parts }) => {
      if (hole !== undefined) return `[h${hole}]`;
      const tags = parts.map((part) => `t:p:${part}`);
      if (word !== undefined) tags.push(`t:w:${word}`);
      if (tags.length === 0) return escape(text);
      let stream = '';
      let from = 0;
      for (const { 0: bound, index } of text.matchAll(WORD)) {
        stream += `${escape(text.slice(from, index))}[[${tags.join('; ')}]]${escape(bound)}[[/]]`;
        from = index + bound.length;
      }
      return stream + escape(text.slice(from));
    })
    .join('');

/** Reads the output of a pipeline. */
export const fromStream = (output: string): readonly WordRun[] => {
  const stream = output.endsWith(END_OF_TEXT) ? output.slice(0, -END_OF_TEXT.length) : output;
  const runs: WordRun[] = [];
  let word: number | undefined;
  let parts: readonly number[] = [];
  let from = 0;
  const add = (text: string): void => {
    if (text !== '') runs.push({ text, word, parts });
  };
  for (const { 0: piece, index, groups = {} } of stream.matchAll(PIECE)) {
    add(stream.slice(from, index));
    from = index + piece.length;
    const { tags, blank, escaped } = groups;
    if (escaped !== undefined) add(escaped);
    else if (blank !== undefined) {
      const hole = HOLE.exec(blank)?.[1];
      if (hole === undefined) add(blank);
      else runs.push({ text: '', hole: Number(hole), parts });
    } else {
      const found = Array.from((tags ?? '').matchAll(TAG), ({ groups: tag = {} }) => tag);
      const placesOf = (kind: string): readonly number[] =>
        found.filter((tag) => tag['kind'] === kind).map((tag) => Number(tag['place']));
      [word] = placesOf('w');
      parts = placesOf('p');
    }
  }
  add(stream.slice(from));
  return runs;
};
