import { describe, expect, it } from 'vitest';
import { line, openCaptions, pass } from './fakes.ts';

describe('captions', () => {
  it('are translated once into each language of the readers, and not into their own', async () => {
    const { clock, channel, captions, asked } = openCaptions();
    captions.setLanguages(['es', 'en-GB', 'es-MX', 'fr', 'es']);
    captions.transcript(line(1, { isFinal: false }));
    captions.transcript(line(1));
    captions.transcript(line(1));
    await pass(clock, captions.settled());
    expect(asked.map(({ language }) => language)).toEqual(['es', 'fr']);
    expect(channel.shown()).toEqual(['**Ann**: w1\n↳ 🇪🇸 \\[es] w1\n↳ 🇫🇷 \\[fr] w1']);
  });

  it('are translated into ten languages at most', async () => {
    const { clock, captions, asked } = openCaptions();
    captions.setLanguages(['es', 'fr', 'de', 'it', 'pt', 'nl', 'sv', 'fi', 'pl', 'cs', 'ja', 'ko']);
    captions.transcript(line(1));
    await pass(clock, captions.settled());
    expect(asked).toHaveLength(10);
  });

  it('are asked for in all languages where theirs is not known', async () => {
    const { clock, captions, asked } = openCaptions();
    captions.setLanguages(['es', 'en']);
    captions.transcript(line(1, { language: '' }));
    await pass(clock, captions.settled());
    expect(asked.map(({ language }) => language)).toEqual(['es', 'en']);
  });

  it('are translated with the captions before them as context', async () => {
    const { clock, captions, asked } = openCaptions();
    captions.setLanguages(['es']);
    for (const id of [1, 2, 4, 5, 6, 3]) captions.transcript(line(id));
    captions.transcript(line(7));
    await pass(clock, captions.settled());
    expect(asked.find(({ text }) => text === 'w3')?.context).toEqual(['w1', 'w2']);
    expect(asked.find(({ text }) => text === 'w7')?.context).toEqual(['w3', 'w4', 'w5', 'w6']);
  });

  it('show translations as they grow', async () => {
    const { clock, channel, captions } = openCaptions({
      plan: () => ({ delayMs: 1_100, steps: 2 }),
    });
    captions.setLanguages(['es']);
    captions.transcript(line(1));
    await pass(clock, captions.settled());
    expect(channel.sent.map(({ text }) => text)).toEqual([
      '**Ann**: w1\n↳ 🇪🇸 …',
      '**Ann**: w1\n↳ 🇪🇸 *\\[es] …*',
      '**Ann**: w1\n↳ 🇪🇸 \\[es] w1',
    ]);
  });

  it('have a sign at each line whose translation fails', async () => {
    const { clock, channel, captions } = openCaptions({ plan: () => ({ outcome: 'error' }) });
    captions.setLanguages(['es']);
    for (const id of [1, 2]) captions.transcript(line(id));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1\n↳ 🇪🇸 ⚠️\n**Ann**: w2\n↳ 🇪🇸 ⚠️']);
  });

  it('are logged once for a language that fails while another one works', async () => {
    const warned: unknown[] = [];
    const { clock, captions } = openCaptions({
      plan: (_, language) => ({ outcome: language === 'fr' ? 'error' : 'done' }),
      log: { warn: (what: unknown) => void warned.push(what) },
    });
    captions.setLanguages(['es', 'fr']);
    for (const id of [1, 2, 3]) {
      captions.transcript(line(id));
      await pass(clock, captions.settled());
    }
    expect(warned).toEqual([{ code: 'unavailable', from: 'en', to: 'fr' }]);
  });

  it('are made of each part of a turn in two scripts, which two captions show', async () => {
    const { clock, channel, captions, asked } = openCaptions();
    captions.setLanguages(['en', 'zh']);
    captions.transcript(line(1, { text: 'Hello', isFinal: false }));
    const text = 'Hello everybody. 大家好，我们现在开始吧。';
    captions.transcript(line(1, { text }));
    captions.transcript(line(1, { text }));
    await pass(clock, captions.settled());
    expect(asked.map((each) => [each.text, each.language])).toEqual([
      ['Hello everybody.', 'zh'],
      ['大家好，我们现在开始吧。', 'en'],
    ]);
    expect(channel.shown()).toHaveLength(1);
  });

  it('report nothing where there was nothing to translate', async () => {
    const { clock, channel, captions } = openCaptions({ plan: () => ({ outcome: 'nothing' }) });
    captions.setLanguages(['es']);
    captions.transcript(line(1));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1']);
  });

  it('are waited for as long as one whose turn has not come, where the service takes nothing', async () => {
    const { clock, channel, captions } = openCaptions({ plan: () => ({ delayMs: 18_000 }) });
    captions.setLanguages(['es']);
    captions.transcript(line(1));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1\n↳ 🇪🇸 \\[es] w1']);
  });

  it('give up a translation that never comes', async () => {
    const { clock, channel, captions, running } = openCaptions({
      plan: () => ({ outcome: 'never' }),
    });
    captions.setLanguages(['es']);
    captions.transcript(line(1));
    await pass(clock, captions.settled());
    expect(channel.shown()).toEqual(['**Ann**: w1\n↳ 🇪🇸 ⚠️']);
    expect(running.now).toBe(0);
  });

  it('ask for few translations at once, and for none that nobody would read any more', async () => {
    const { clock, channel, captions, asked, running } = openCaptions({
      plan: () => ({ delayMs: 9_000 }),
    });
    captions.setLanguages(['es', 'fr']);
    for (let id = 1; id <= 40; id += 1) captions.transcript(line(id));
    await pass(clock, captions.settled());
    expect(running.most).toBe(6);
    // The first six, and those that could begin within 20 s of the 60 that may wait.
    expect(asked).toHaveLength(18);
    expect(
      channel
        .shown()
        .join('\n')
        .match(/\bw\d+$/gm)?.length,
    ).toBeGreaterThanOrEqual(40);
    expect(channel.shown().join('\n')).not.toContain('…');
  });

  it('ask for nothing more in a language that nobody reads any more', async () => {
    const { clock, captions, asked, channel } = openCaptions({ plan: () => ({ delayMs: 1_000 }) });
    captions.setLanguages(['es']);
    for (let id = 1; id <= 8; id += 1) captions.transcript(line(id));
    captions.setLanguages(['fr']);
    captions.transcript(line(9));
    await pass(clock, captions.settled());
    expect(asked.map(({ language }) => language)).toEqual([...Array(6).fill('es'), 'fr']);
    expect(
      channel
        .shown()
        .join('\n')
        .match(/🇪🇸/g),
    ).toHaveLength(6);
  });

  it('abort the translations of a member who is forgotten', async () => {
    const { clock, captions, running } = openCaptions({ plan: () => ({ outcome: 'never' }) });
    captions.setLanguages(['es']);
    captions.transcript(line(1));
    captions.transcript(line(2, { speakerId: 'b' }));
    await clock.advance(0);
    captions.forget('b');
    await clock.advance(0);
    expect(running).toMatchObject({ now: 1, aborted: 1 });
  });
});
