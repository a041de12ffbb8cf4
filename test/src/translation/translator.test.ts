import { describe, expect, it } from 'vitest';
import { tree, written } from '../../fakes/markup.ts';
import { SPACE, useTranslator } from './translator-support.ts';

const { script, translate } = useTranslator();

describe('the translator', () => {
  it('detects the language, and shows the text as it grows', async () => {
    // What is shown of a shorter one is the whole.
    const source = 'Where are you going this evening? '.repeat(11).trim();
    const { text, from, outcome, seen } = await translate({ text: source });
    expect({ text, from, outcome }).toEqual({
      text: `¡${source}!`,
      from: 'en',
      outcome: 'translated',
    });
    expect(seen.length).toBe(2);
    expect(script.asked[0]).toMatchObject({ sourceLang: 'en', targetLang: 'ja' });
  });

  it('asks for a text in one reply where nobody sees it grow', async () => {
    const { text, seen } = await translate({ text: 'See https://a.b this evening', whole: true });
    expect(text).toBe('¡See https://a.b this evening!');
    expect(seen).toEqual([]);
  });

  it('takes a text of an uncertain language for the likeliest one that is not the reader’s', async () => {
    await translate({ text: 'no', to: 'pl' });
    expect(script.asked[0]?.sourceLang).not.toBe('pl');
    expect(script.asked[0]?.targetLang).toBe('pl');
  });

  it.each(['felicidades', 'tusen takk', 'grattis'])(
    'translates %j for English readers',
    async (text) => {
      expect((await translate({ text, to: 'en' })).outcome).toBe('translated');
    },
  );

  it('leaves a line of chat that may be in no language as it is, and translates it where it is asked for', async () => {
    const channel = { space: SPACE, id: 'channel' };
    const line = { ref: { channel, id: '1' }, author: { platform: 'test', id: 'anna' } };
    expect((await translate({ text: 'hi', line })).outcome).toBe('nothing-to-translate');
    expect(script.asked).toEqual([]);
    expect((await translate({ text: 'hi' })).outcome).toBe('translated');
  });

  it('knows what the author of a line wrote before', async () => {
    const lineOf = (id: string) => ({
      ref: { channel: { space: SPACE, id: 'channel' }, id },
      author: { platform: 'test', id: 'bert' },
    });
    for (const [index, text] of ['hvad laver I så i aften?', 'det er fandeme ærgerligt'].entries())
      await translate({ text, line: lineOf(`da${index}`) });
    expect((await translate({ text: 'hvor er du?', line: lineOf('da3') })).from).toBe('da');
  });

  it('asks nobody about a text in a language that is to stay as it is', async () => {
    const text = 'Where are you going this evening?';
    const exempt = ['fr', 'en'];
    expect(await translate({ text, exempt })).toMatchObject({ text, outcome: 'same-language' });
    expect(script.asked).toEqual([]);
    expect(await translate({ text, exempt: ['fr'] })).toMatchObject({ outcome: 'translated' });
  });

  it('asks nobody when the text is in the target language already', async () => {
    const text = 'Where are you going this evening?';
    expect(await translate({ text, to: 'en' })).toMatchObject({ text, outcome: 'same-language' });
    expect(script.asked).toEqual([]);
  });

  it.each(['', ' \u200b\u2060 ', '🎉🎉 👩‍👩‍👧', 'https://example.org/a?b=c', '`npm ci`'])(
    'asks nobody when there is nothing to translate: %j',
    async (text) => {
      const same = { text: written(tree(text)), outcome: 'nothing-to-translate' };
      expect(await translate({ text })).toMatchObject(same);
      expect(script.asked).toEqual([]);
    },
  );

  it('asks for the model that the reader wants, and tells which one translated', async () => {
    script.engine = (text) => {
      script.asked.at(-1)?.onModel?.('bergamot-en-ja');
      return text.toUpperCase().split('').join(' ');
    };
    for (const whole of [true, false])
      expect(
        await translate({ text: 'hello you', from: 'en', model: 'bergamot', whole }),
      ).toMatchObject({
        model: 'bergamot-en-ja',
      });
    expect(script.asked.map(({ model }) => model)).toEqual(['bergamot', 'bergamot']);
  });

  it('tells each model that translated a part of it, and none of a reply that was not used', async () => {
    script.engine = (text, call) => {
      const names =
        call === 1 ? ['unusable'] : ['bergamot-en-ja', 'apertium-eng-jpn', 'bergamot-en-ja'];
      for (const name of names) script.asked.at(-1)?.onModel?.(name);
      return call === 1 ? '' : `¡${text}!`;
    };
    expect((await translate({ text: 'hello you', from: 'en' })).model).toBe(
      'bergamot-en-ja+apertium-eng-jpn',
    );
  });

  it('sends the talk before it as context', async () => {
    await translate({ text: 'and you?', from: 'en', context: ['I am fine.', 'Me too.'] });
    expect(script.asked[0]?.context).toBe('I am fine.\nMe too.');
  });

  it('sends no control token of a language model, in the text or before it', async () => {
    const context = ['<|im_end|>: I am fine.', 'Me too. <end_of_turn>'];
    await translate({ text: 'and you? </s>', from: 'en', context });
    expect(script.asked[0]?.context).toBe('< |im_end|>: I am fine.\nMe too. < end_of_turn>');
    expect(script.asked[0]?.text).not.toContain('</s>');
  });

  it('makes broken surrogates harmless', async () => {
    const { outcome } = await translate({ text: 'broken \ud800 text here', from: 'en' });
    expect(outcome).toBe('translated');
    expect(script.asked[0]?.text.isWellFormed()).toBe(true);
  });

  it('translates a text right to left', async () => {
    expect(await translate({ text: 'مرحبا يا صديقي كيف حالك اليوم' })).toMatchObject({
      from: 'ar',
      outcome: 'translated',
    });
  });
});

describe('an unchanged reply', () => {
  it.each(['Taxi', 'taxi', ' TAXI  ', 'Taxi\n'])(
    'is the text as it was written: %j',
    async (reply) => {
      script.engine = () => reply;
      const same = { text: 'Taxi', outcome: 'unchanged' };
      expect(await translate({ text: 'Taxi', from: 'en' })).toMatchObject(same);
    },
  );

  it('is told from one with other words', async () => {
    script.engine = () => 'Taxis';
    expect((await translate({ text: 'Taxi', from: 'en' })).outcome).toBe('translated');
  });
});
