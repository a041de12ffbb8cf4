import { describe, expect, it } from 'vitest';
import { parseDiscord } from '../adapters/discord/rich-text/parse.ts';
import { renderDiscord } from '../adapters/discord/rich-text/render.ts';
import { parseMrkdwn } from '../adapters/slack/rich-text/parse-mrkdwn.ts';
import { toHtml } from '../adapters/web/html.ts';
import { maskSecrets } from '../service/engines/openai/error-text.ts';
import { tokenise } from '../src/command/command-line.ts';
import { paragraph, text as words } from '../src/model/rich-text.ts';
import { spokenTranscript } from '../src/speech/hallucinations.ts';
import { detectLanguage } from '../src/text/language/detect.ts';
import { parseMarkdown } from '../src/text/markdown/parse.ts';
import { languageText } from '../src/text/message-checks.ts';
import { protect } from '../src/text/protect/protect.ts';
import { judgeTranslation } from '../src/text/reply/translation-reply.ts';
import { speakable } from '../src/text/speech/speakable.ts';
import { splitSentences } from '../src/text/split/sentences.ts';
import { splitText } from '../src/text/split/split.ts';
import { foldText } from '../src/text/terms/fold.ts';
import { splitTyped } from '../src/text/typed-lists.ts';

/** More than a message or a text to speak may have, so that what grows with the square stands out. */
const UNITS = 20_000;
/**
 * Longest time of this thread for one text, in ms: the slowest needs 60, and what takes quadratic
 * time over a second.
 */
const MOST_MS = 400;

const plain = (text: string) => [paragraph(words(text))];

/** Everything that reads what a stranger wrote, or what an engine or its back end answers. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a message of Discord': parseDiscord,
  'a message of Slack': parseMrkdwn,
  'a line of the page': (text) => toHtml(parseMarkdown(text)),
  'what is written on Discord': (text) => renderDiscord(plain(text)),
  'what is translated': (text) => protect(plain(text)),
  'the language of a message': (text) => detectLanguage(languageText(plain(text))),
  'a glossary’s words': foldText,
  'a typed command': (text) => tokenise(text, 0),
  'a typed list': splitTyped,
  sentences: splitSentences,
  'parts of a message': (text) => splitText(text, 2_000),
  'what is spoken': (text) => speakable(plain(text), { locale: 'en' }),
  'what was recognised': (text) => spokenTranscript(text),
  'what an engine translated': (text) =>
    judgeTranslation({ source: 'hello', from: 'en', to: 'es' }, text),
  'what a back end complains of': maskSecrets,
};

const SIGNS = ['a', 'ha', ' ', ' \n', '\n', '\uFEFF', 'ก ', 'ก', '\u0301', '😀', '🇩', '\u202E']
  .concat(['*', '_a_', '**', '||', '`', '```\n', '> ', '- ', '1. ', '[', '](', '[a](', '<', '<@'])
  .concat(['<t:1:', '<!date^1^', 'http://a(', 'www.', '@', '|-|', '&amp;', '\\', 'A. ', '?!', '"'])
  .concat(['1-', '1,', '12:', '5 km ', 'a-1_', 'key=', 'a: ', '⟦1']);

const threadMs = (work: () => unknown): number => {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

describe('a text of one sign, again and again', () => {
  it.each(Object.entries(READERS))('takes no time that grows with its square: %s', (_, read) => {
    const slow = SIGNS.flatMap((sign) =>
      ['', '!'].map((end) => sign.repeat(UNITS / sign.length) + end),
    ).filter((text) => threadMs(() => read(text)) > MOST_MS);
    expect(slow.map((text) => text.slice(0, 8))).toEqual([]);
  });
});
