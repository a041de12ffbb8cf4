import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { htmlToRuns, runsToHtml } from '../service/translation/run-tags.ts';
import { loadBergamot } from '../service/engines/bergamot/library.ts';
import { findTranslationModel, type TranslationModel } from '../service/engines/bergamot/model.ts';
import { readVocabulary } from '../service/engines/bergamot/vocabulary.ts';
import { translateWithSlots, type LineTranslator } from '../service/translation/with-slots.ts';
import { parseMarkdown } from '../src/rich-text/markdown/parse.ts';
import { renderMarkdown } from '../src/rich-text/markdown/render.ts';
import { normalise } from '../src/rich-text/normalise.ts';
import { code, link, mention, text, type Inline } from '../src/rich-text/rich-text.ts';
import { plainText } from '../src/rich-text/walk.ts';
import { protect, type Protected, type Term } from '../src/text/protect/protect.ts';
import { fixed } from './measure.ts';

/**
 * What protection costs a sentence, with real translation models: the folder of SERVICE_MODELS with
 * models from English to Portuguese and back. The plain sentence, with a word in place of each
 * token, is the measure.
 */

interface Lines {
  readonly tokens: readonly string[];
  readonly styles: readonly { readonly line: string; readonly styled: string }[];
  readonly signs: readonly string[];
}

/** Ways to hand a token over. */
type Form = 'a hole' | 'a copied word' | 'its word';

const FORMS: readonly Form[] = ['a hole', 'a copied word', 'its word'];
const MARKED = /\{(?<kind>\w+):(?<word>[^}=]+)(?:=(?<translation>[^}]*))?\}/;
/** Tokens in sentences with many. */
const MANY = 750;
const SHOWN = 20;

const wordsOf = (line: string): readonly string[] =>
  line.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];

const without = (all: readonly string[], some: readonly string[]): readonly string[] => {
  const rest = [...all];
  for (const word of some) {
    const at = rest.indexOf(word);
    if (at >= 0) rest.splice(at, 1);
  }
  return rest;
};

const protectMarked = (line: string): Protected => {
  const { 0: marked = '', index = 0, groups = {} } = MARKED.exec(line) ?? {};
  const { kind = '', word = '', translation } = groups;
  const nodeOf = (): Inline => {
    if (kind === 'code') return code(word);
    if (kind === 'link' && word.includes('://')) return link(word);
    if (kind === 'everyone') return mention('bench', 'broadcast', word, word);
    return kind === 'member' || kind === 'role' || kind === 'channel'
      ? mention('bench', kind, '1', word)
      : text(word);
  };
  const row = [text(line.slice(0, index)), nodeOf(), text(line.slice(index + marked.length))];
  const terms: readonly Term[] =
    kind === 'term' || kind === 'keep' ? [{ term: word, translation }] : [];
  return protect(normalise([{ kind: 'paragraph', children: row }]), terms);
};

const library = await loadBergamot();

const engineOf = async (model: TranslationModel): Promise<LineTranslator> => {
  const route = [model];
  return {
    words: async (texts) => library.translate(route, texts, false),
    runs: async (runs) =>
      htmlToRuns((await library.translate(route, [runsToHtml(runs)], true))[0] ?? ''),
    reads: await readVocabulary(model.vocabularies[0] ?? ''),
  };
};

const translate = async (
  engine: LineTranslator,
  { text: line, meanings }: Protected,
  from: string,
  form: Form = 'its word',
): Promise<string> => {
  if (form === 'its word') return translateWithSlots(line, meanings(from), engine);
  const [token = ''] = line.match(/⟦\d+⟧/) ?? [];
  if (form === 'a copied word')
    return (await engine.words([line.replace(token, 'X1')]))[0]?.replace('X1', token) ?? '';
  return translateWithSlots(line, new Map(), engine);
};

/** How many of the words around a token are those of the plain sentence, from 0 to 1. */
const compare = (
  plain: readonly string[],
  reply: readonly string[],
  longest: number,
): { readonly isSame: boolean; readonly score: number } => {
  const extra = without(reply, plain);
  const missing = without(plain, reply);
  const common = reply.length - extra.length;
  const least = Math.max(common, plain.length - longest);
  return {
    isSame: extra.length === 0 && missing.length <= longest,
    score: reply.length + least === 0 ? 1 : Math.min(1, (2 * common) / (reply.length + least)),
  };
};

/** Sentences with a token after every other word. */
const crowded = (lines: readonly string[]): readonly Protected[] => {
  const protectedLines: Protected[] = [];
  let tokens = 0;
  for (let round = 0; tokens < MANY; round += 1)
    for (const line of lines) {
      const words = line.replace(MARKED, '$<word>').split(' ');
      const row = words.map((word, at) =>
        (at + round) % 2 === 0 ? `${word} \`code${at}\`` : word,
      );
      const crowd = protect(parseMarkdown(row.join(' ')));
      tokens += crowd.tokens;
      protectedLines.push(crowd);
    }
  return protectedLines;
};

const measure = async (from: string, to: string, model: TranslationModel): Promise<void> => {
  const file = new URL(`./sentences/${from}-${to}.json`, import.meta.url);
  const lines = JSON.parse(await readFile(file, 'utf8')) as Lines;
  const engine = await engineOf(model);
  const plain = async (line: string): Promise<string> => (await engine.words([line]))[0] ?? '';

  console.log(`\n### From ${from} to ${to}\n`);
  console.log(
    `| a token is | the same words, of ${lines.tokens.length} | F1 | lost |\n|---|---|---|---|`,
  );
  const shown: string[] = [];
  for (const form of FORMS) {
    let same = 0;
    let score = 0;
    let lost = 0;
    for (const line of lines.tokens) {
      const guarded = protectMarked(line);
      const word = guarded.meanings(from).get(1)?.word ?? '';
      const expected = wordsOf(await plain(guarded.text.replace('⟦1⟧', word)));
      const reply = await translate(engine, guarded, from, form);
      const restored = guarded.restore(reply);
      if (!restored.ok) lost += 1;
      const alone = wordsOf(await plain(word === '' ? '.' : word)).length;
      const longest = Math.max(alone, wordsOf(word).length);
      const result = compare(expected, wordsOf(reply.replace('⟦1⟧', ' ')), longest);
      if (result.isSame) same += 1;
      score += result.score;
      if (form === 'its word') shown.push(`${line}\n  ${plainText(restored.tree)}`);
    }
    const cells = [form, same, fixed(score / lines.tokens.length, 3), lost];
    console.log(`| ${cells.join(' | ')} |`);
  }

  let exact = 0;
  for (const { line, styled } of lines.styles) {
    const guarded = protect(parseMarkdown(line));
    const written = renderMarkdown(guarded.restore(await translate(engine, guarded, from)).tree);
    const found = /(?:\*{1,2}|~~|\|\||\[)(?<styled>.+?)(?:\*{1,2}|~~|\|\||\]\()/.exec(written);
    if (found?.groups?.['styled'] === styled) exact += 1;
    else shown.push(`${line}\n  ${written}`);
  }
  console.log(`\nStyles exact: ${exact} of ${lines.styles.length}.`);

  let tokens = 0;
  let lost = 0;
  for (const guarded of crowded(lines.tokens)) {
    tokens += guarded.tokens;
    lost += guarded.restore(await translate(engine, guarded, from)).missing.length;
  }
  console.log(`Tokens lost in sentences full of them: ${lost} of ${tokens}.\n`);
  for (const line of shown.filter((_, at) => at % Math.ceil(shown.length / SHOWN) === 0))
    console.log(line);
  console.log('');
  for (const line of lines.signs) {
    const guarded = protect(parseMarkdown(line));
    const restored = guarded.restore(await translate(engine, guarded, from));
    console.log(`${line}\n  ${renderMarkdown(restored.tree)}`);
  }
};

const folder = process.env['SERVICE_MODELS'];
if (folder === undefined)
  console.log('Set SERVICE_MODELS to a folder with models for en-pt and pt-en.');
else
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const model = await findTranslationModel({ path, record: undefined }).catch(() => undefined);
    if (model && ['en-pt', 'pt-en'].includes(`${model.from}-${model.to}`))
      await measure(model.from, model.to, model);
  }
