import type { WordRun } from './markup.ts';

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const unescape = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

const inner = ({ text, word, hole }: WordRun): string => {
  // An engine carries the content of `var` along and does not read it.
  if (hole !== undefined) return `<var>${hole}</var>`;
  return word === undefined ? escapeHtml(text) : `<i id="${word}">${escapeHtml(text)}</i>`;
};

/** Writes runs as HTML, in whose translation an engine puts the words of an element into it again. */
export const runsToHtml = (runs: readonly WordRun[]): string => {
  let html = '';
  let open: readonly number[] = [];
  const change = (parts: readonly number[]): void => {
    const same = open.findIndex((part, depth) => parts[depth] !== part);
    const common = same < 0 ? open.length : same;
    html += '</b>'.repeat(open.length - common);
    for (const part of parts.slice(common)) html += `<b id="${part}">`;
    open = parts;
  };
  for (const run of runs) {
    change(run.parts);
    html += inner(run);
  }
  change([]);
  return html;
};

const TAG =
  /<var>(?<hole>\d+)<\/var>|<(?<end>\/?)(?<name>[a-z]+)(?: id="(?<id>\d+)")?(?<empty>\s?\/)?>/g;

/** Reads the translation of such HTML. */
export const htmlToRuns = (html: string): readonly WordRun[] => {
  const runs: WordRun[] = [];
  const open: { readonly name: string; readonly id: number }[] = [];
  let from = 0;
  const add = (run: Pick<WordRun, 'text' | 'hole'>): void => {
    const parts = open.filter(({ name }) => name === 'b').map(({ id }) => id);
    runs.push({ ...run, word: open.find(({ name }) => name === 'i')?.id, parts });
  };
  for (const { 0: tag, index, groups = {} } of html.matchAll(TAG)) {
    add({ text: unescape(html.slice(from, index)) });
    from = index + tag.length;
    const { end, name = '', id, hole, empty } = groups;
    if (hole !== undefined) add({ text: '', hole: Number(hole) });
    else if (end === '/') open.pop();
    else if (empty === undefined) open.push({ name, id: Number(id) });
  }
  add({ text: unescape(html.slice(from)) });
  return runs;
};
