import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import { plainWords } from '../../../src/rich-text/compose.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { labelled } from '../../fakes/command-harness.ts';
import { sentence } from '../../fakes/sentences.ts';
import { useCommandHarness } from '../support.ts';
import { lines, linesIn } from './support.ts';

const harness = useCommandHarness();

/** Has something happen while the first message is translated. */
const meanwhile = (happens: () => void): void => {
  const { translator } = harness().services;
  const translate = translator.translate.bind(translator);
  let isFirst = true;
  Object.assign(translator, {
    async *translate(...given: Parameters<typeof translate>) {
      if (isFirst) happens();
      isFirst = false;
      return yield* translate(...given);
    },
  });
};

const edited = (message: Message): Message => ({ ...message, text: plainWords('line 70.') });

const fileOfPage = (): string => labelled(harness().shown.at(-1), 'catchup.file')!.press;
const PLACES = [
  ['a page', () => harness().run('catchup', { to: 'es' })],
  ['a file', () => harness().pressNamed(fileOfPage().replace(':fr', ':es'))],
] as const;

/** What one of the places shows of twelve messages. */
const shownIn = async (show: (typeof PLACES)[number][1], happens: () => void): Promise<string> => {
  harness().script.messages = lines(12);
  await harness().run('catchup', { to: 'fr' });
  meanwhile(happens);
  const { text, files = [] } = await show();
  return `${text}\n${Buffer.from(files[0]?.bytes ?? []).toString()}`;
};

describe.each(PLACES)('what happens while %s of /catchup is translated', (_, show) => {
  it('takes out what was deleted, and says what is left out of people who opted out', async () => {
    const shown = await shownIn(show, () => {
      harness().script.messages = lines(12).filter((_one, at) => at !== 2 && at !== 4);
      harness().script.outMeanwhile = 1;
    });
    expect(shown).not.toMatch(/line [35]\./);
    expect(linesIn(shown).length).toBeGreaterThanOrEqual(8);
    expect(shown).toContain(sentence('catchup.left-out', { count: 1 }));
  });

  it('shows an edited message as it is then, translated', async () => {
    const shown = await shownIn(show, () => {
      harness().script.messages = lines(12).map((one, at) => (at === 1 ? edited(one) : one));
    });
    expect(shown).not.toContain('line 2.');
    expect(shown).toContain('es:line 70.');
  });

  it('shows a message that changes again and again as it is, not translated, without asking on and on', async () => {
    const asked: string[] = [];
    const { messages, translator } = harness().services;
    const still = messages.still.bind(messages);
    const translate = translator.translate.bind(translator);
    const shown = await shownIn(show, () => {
      let times = 100;
      Object.assign(translator, {
        translate: (...given: Parameters<typeof translate>) => {
          asked.push(plainText(given[0].text));
          return translate(...given);
        },
      });
      Object.assign(messages, {
        still: async (...given: Parameters<typeof still>) => {
          times += 1;
          if (times > 110) throw new Error('read again and again');
          harness().script.messages = lines(12).map((one, at) =>
            at === 1 ? { ...one, text: plainWords(`line ${times}.`) } : one,
          );
          return still(...given);
        },
      });
    });
    expect(asked.filter((text) => /line 1\d\d\./.test(text))).toEqual(['line 101.']);
    expect(shown).toContain(' line 102.');
    expect(shown).not.toMatch(/es:line 10\d/);
    expect(shown).toContain(
      sentence('catchup.untranslated', { count: 1, reason: sentence('catchup.changing') }),
    );
  });

  it.each([{ readsHistory: false }, { isReader: false }])(
    'keeps it from who may not read the channel any more: %o',
    async (lost) => {
      const shown = await shownIn(show, () => void Object.assign(harness().script, lost));
      expect(linesIn(shown)).toEqual([]);
    },
  );

  it('counts what is left out of a page of which nothing is left', async () => {
    harness().script.messages = lines(30);
    await harness().run('catchup', { to: 'fr' });
    harness().script.outMeanwhile = 0;
    meanwhile(() => {
      harness().script.messages = lines(30).slice(10);
      harness().script.outMeanwhile = 10;
    });
    const { text } = await harness().run('catchup', { to: 'es' });
    expect(text).toContain(sentence('catchup.left-out', { count: 20 }));
  });

  it('shows that there is nothing any more', async () => {
    const shown = await shownIn(show, () => (harness().script.messages = []));
    expect(linesIn(shown)).toEqual([]);
    expect(shown).toContain(sentence('catchup.none', { since: '…' }).split('…')[0]);
  });
});
