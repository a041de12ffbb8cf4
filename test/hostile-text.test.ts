import { describe, expect, it } from 'vitest';
import { parseDiscord } from '../adapters/discord/rich-text/parse.ts';
import { renderDiscord } from '../adapters/discord/rich-text/render.ts';
import { personaName } from '../adapters/discord/outbound/message-writer.ts';
import { parseMessage } from '../adapters/slack/rich-text/parse-message.ts';
import { renderMrkdwn } from '../adapters/slack/rich-text/render-mrkdwn.ts';
import { renderStreamed } from '../adapters/slack/interactions/streamed-answer.ts';
import { toHtml } from '../adapters/web/html.ts';
import { lookAlikeKeys } from '../adapters/web/profiles.ts';
import { maskSecrets } from '../service/back-end/error-text.ts';
import { htmlParts } from '../service/translation/html.ts';
import { translateWithSlots } from '../service/translation/with-slots.ts';
import { tokenise } from '../src/command/command-line.ts';
import { AppError } from '../src/errors.ts';
import { paragraph, text as words } from '../src/rich-text/rich-text.ts';
import { spokenTranscript } from '../src/speech/hallucinations.ts';
import { detectLanguage } from '../src/text/language/detect.ts';
import { parseMarkdown } from '../src/rich-text/markdown/parse.ts';
import { renderMarkdown } from '../src/rich-text/markdown/render.ts';
import { inWholeWords } from '../src/text/chat-words/chat-words.ts';
import { languageText } from '../src/text/message-checks.ts';
import { protect } from '../src/text/protect/protect.ts';
import { judgeAnswer } from '../src/text/reply/chat-reply.ts';
import { judgeTranslation } from '../src/text/reply/translation-reply.ts';
import { speakable } from '../src/text/speech/speakable.ts';
import { excerpt } from '../src/text/quoted-words.ts';
import { splitSentences } from '../src/text/split/sentences.ts';
import { splitText } from '../src/text/split/split.ts';
import { foldText } from '../src/text/terms/fold.ts';
import { indexTerms } from '../src/text/terms/term-index.ts';
import { splitTyped } from '../src/command/options.ts';
import { findLanguage } from '../src/text/language/languages.ts';
import { readColumns } from '../src/translation/glossary-columns.ts';
import { readGlossaryCsv } from '../src/translation/glossary-csv.ts';
import { casesOf } from './fakes/cases.ts';
import { fileOf } from './src/translation/glossary-support.ts';

/** More than a message or a text to speak may have, so that what grows with the square stands out. */
const UNITS = 10_000;
/**
 * Longest time of this thread for one text, in ms: the slowest needs 30, and what takes quadratic
 * time over 250.
 */
const MOST_MS = 200;

const plain = (text: string) => [paragraph(words(text))];

const sectionOf = (text: string) => ({
  type: 'rich_text_section',
  elements: Array.from(text, (part, index) => ({
    type: 'text',
    text: part,
    style: { bold: index % 2 === 0 },
  })),
});

/** A text in each kind of block that is read in its own way. */
const blocksOf = (text: string) => [
  { type: 'section', text: { type: 'mrkdwn', text } },
  { type: 'header', text: { type: 'plain_text', text } },
  { type: 'markdown', text },
  {
    type: 'rich_text',
    elements: ['rich_text_section', 'rich_text_quote', 'rich_text_preformatted'].map((type) => ({
      type,
      elements: [{ type: 'text', text }],
    })),
  },
];

const TERMS = ['a', 'aa', 'a*', 'ha', 'haha', 'ก', 'กก*', '😀', 'A.', '?!', '12:', 'key=', '🇩🇩'];
const FEW_TERMS = indexTerms(TERMS.slice(0, 6).map((term) => ({ term })));
const MANY_TERMS = indexTerms(TERMS.map((term) => ({ term })));

const SLOTS = new Map([
  [1, { opens: 1 }],
  [2, { closes: 1 }],
  [3, { word: 'a' }],
]);

const readFileOf = async (text: string): Promise<void> => {
  try {
    const { rows } = await readGlossaryCsv(fileOf(text), new AbortController().signal);
    readColumns(rows, { find: findLanguage }, 'ja');
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
  }
};

/** Everything that reads what a stranger wrote, or what an engine or its back end answers. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a message of Discord': parseDiscord,
  'a message of Slack': (text) => parseMessage({ ts: '1', text }),
  'a long text in HTML': (text) => htmlParts(text.repeat(5)),
  'a line of the page': (text) => toHtml(parseMarkdown(text)),
  'the blocks of a message of Slack': (text) => parseMessage({ ts: '1', blocks: blocksOf(text) }),
  'words of a message of Slack, each a part of its own': (text) =>
    parseMessage({ ts: '1', blocks: [{ type: 'rich_text', elements: [sectionOf(text)] }] }),
  'what is written on Discord': (text) => renderDiscord(plain(text)),
  'what is written on Slack': (text) => renderMrkdwn(plain(text)),
  'what is written as Markdown': (text) => renderMarkdown(plain(text)),
  'what is streamed on Slack': (text) => renderStreamed(plain(text), true),
  'an excerpt': (text) => excerpt(plain(text), text.length),
  'what is translated': (text) => protect(plain(text)),
  'the language of a message': (text) => detectLanguage(languageText(plain(text))),
  'a glossary’s words': foldText,
  'a message with words of a small glossary': (text) => FEW_TERMS.find(text),
  'a message with words of a large glossary': (text) => MANY_TERMS.find(text),
  'a glossary’s file': readFileOf,
  'a name on the page': lookAlikeKeys,
  'a name on Discord': personaName,
  'a typed command': (text) => tokenise(text, 0),
  'a typed list': splitTyped,
  sentences: splitSentences,
  'parts of a message': (text) => splitText(text, 2_000),
  'what is spoken': (text) => speakable(plain(text), { locale: 'en' }),
  'what was recognised': (text) => spokenTranscript({ text }),
  'what an engine translated': (text) =>
    judgeTranslation({ source: 'hello', from: 'en', to: 'es' }, text),
  'what was translated': (text) =>
    judgeTranslation({ source: text, from: 'en', to: 'es' }, text.replaceAll('1', '9')),
  'what a language model answered': (text) =>
    judgeAnswer([{ role: 'user', content: text }], `${text} `),
  'words of chat': (text) => inWholeWords(text, 'en'),
  'what an engine copies': (text) =>
    translateWithSlots(`⟦1⟧${text}⟦2⟧ ⟦3⟧`, SLOTS, {
      words: async (texts) => texts,
      runs: async (runs) => runs,
      reads: (known) => !/[\u0080-\u{10FFFF}]/u.test(known),
    }),
  'what a back end complains of': maskSecrets,
};

const SIGNS = ['a', 'ha', ' ', ' \n', '\n', '\uFEFF', 'ก ', 'ก', '\u0301', '😀', '🇩', '\u202E']
  .concat(['*', '_a_', '**', '||', '`', '```\n', '> ', '- ', '1. ', '[', '](', '[a](', '<', '<@'])
  .concat(['<t:1:', '<!date^1^', 'http://a(', 'www.', '@', '|-|', '&amp;', '\\', 'A. ', '?!', '"'])
  .concat(['1-', '1,', '12:', '5 km ', 'a-1_', 'key=', 'a: ', '⟦1', '-', '/', '.', '111 ', "1'"])
  .concat(['1a', '$1 ', 'Mon, ', '/a', 'a.', '"a" ', '</s>', '...é', '[|', '<a']);

const ENDS = ['', '!', 'é'];
/** Of the ends one is tried, another one in each run, where not all cases are asked for. */
const endsOf = (): readonly string[] => {
  const every = ENDS.length;
  if (casesOf(every) >= every) return ENDS;
  const from = Math.floor(Math.random() * every);
  return ENDS.slice(from, from + 1);
};

const threadMs = async (work: () => unknown): Promise<number> => {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

describe('a text of one sign, again and again', () => {
  it.each(Object.entries(READERS))(
    'takes no time that grows with its square: %s',
    async (_, read) => {
      const slow: string[] = [];
      for (const sign of SIGNS)
        for (const end of endsOf()) {
          const text = sign.repeat(UNITS / sign.length) + end;
          if ((await threadMs(() => read(text))) > MOST_MS) slow.push(text.slice(0, 8) + end);
        }
      expect(slow).toEqual([]);
    },
  );
});
