import { describe, expect, it } from 'vitest';
import type { ChatLine } from '../../../src/text/language/languages.ts';
import { createLanguageHistory } from '../../../src/translation/language-history.ts';

const AMBIGUOUS = 'hvor er du?';
const DANISH = ['det er fandeme ærgerligt, jeg troede vi skulle ses', 'hvad laver I så i aften?'];

let lines = 0;
const lineOf = (author: string, channel = 'c', space = 's'): ChatLine => {
  lines += 1;
  return {
    ref: { channel: { space: { platform: 'test', id: space }, id: channel }, id: String(lines) },
    author: { platform: 'test', id: author },
  };
};

describe('createLanguageHistory', () => {
  const danishWriter = () => {
    const history = createLanguageHistory();
    for (const text of [...DANISH, ...DANISH]) history.detect(text, lineOf('anna'));
    return history;
  };
  const confidence = (history: ReturnType<typeof createLanguageHistory>, line?: ChatLine): number =>
    history.rank(AMBIGUOUS, line).find(({ language }) => language === 'da')?.confidence ?? 0;

  it('knows what the author wrote before, in any channel of the space', () => {
    const history = danishWriter();
    const alone = confidence(history);
    expect(confidence(history, lineOf('anna', 'another'))).toBeGreaterThan(alone);
    expect(history.detect(AMBIGUOUS, lineOf('anna'))?.language).toBe('da');
  });

  it('knows what others wrote in the channel, and nothing of other spaces', () => {
    const history = danishWriter();
    const alone = confidence(history);
    expect(confidence(history, lineOf('bert'))).toBeGreaterThan(alone);
    expect(confidence(history, lineOf('anna', 'd', 'elsewhere'))).toBe(alone);
  });

  it('knows what a writer wrote before or has chosen, and remembers nothing of what they say', () => {
    const { ref, author } = lineOf('anna');
    const writer = { author, channel: ref.channel, chosen: undefined };
    const history = danishWriter();
    const alone = createLanguageHistory();
    expect(history.detect(AMBIGUOUS, writer)?.language).toBe('da');
    expect(alone.detect(AMBIGUOUS, { ...writer, chosen: 'no' })?.language).toBe('no');
    for (const text of DANISH) alone.detect(text, writer);
    expect(confidence(alone, lineOf('anna'))).toBe(confidence(alone));
  });

  it('forgets a person, and remembers the others', () => {
    const history = danishWriter();
    const alone = confidence(history);
    history.detect('vi ses i morgen tidlig på arbejdet', lineOf('bert', 'd'));
    history.forget({ platform: 'test', id: 'anna' });
    expect(confidence(history, lineOf('anna'))).toBe(alone);
    expect(confidence(history, lineOf('carl', 'd'))).toBeGreaterThan(alone);
  });

  it('counts a line once, however often its language is asked for', () => {
    const history = createLanguageHistory();
    const line = lineOf('anna');
    const first = history.rank(DANISH[0] ?? '', line);
    for (let time = 0; time < 20; time += 1) history.rank(DANISH[0] ?? '', line);
    expect(history.rank(DANISH[0] ?? '', line)).toEqual(first);
    const once = createLanguageHistory();
    once.rank(DANISH[0] ?? '', lineOf('anna'));
    expect(confidence(history, lineOf('anna'))).toBe(confidence(once, lineOf('anna')));
  });

  it('takes an edited line for what it is now', () => {
    const history = createLanguageHistory();
    const line = lineOf('anna');
    history.rank(DANISH[0] ?? '', line);
    history.rank('thank you very much for your help yesterday', line);
    expect(confidence(history, lineOf('anna'))).toBeLessThan(confidence(history));
  });
});
