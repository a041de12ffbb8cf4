import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import type { Message } from '../../src/model/message.ts';
import { messageOf } from '../fakes/command-harness.ts';
import { attachmentOf } from '../fakes/core-harness.ts';
import { toneWav } from '../fakes/tone.ts';
import { useCommandHarness, useCoreHarness } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const { harness, last, completions } = useCoreHarness();

describe('/translate', () => {
  const text = 'The quick brown fox jumps over the lazy dog';

  it('translates into a language by name or code, and grows on the way', async () => {
    for (const to of ['es', 'Spanish', 'español', 'スペイン語']) {
      const shown = await harness().run('translate', { text, to });
      expect(shown.at(-1)).toEqual({ text: `es:${text}` });
    }
  });

  it('goes by the person’s own language, then by that of their app', async () => {
    expect((await last('translate', { text }, { locale: 'de' })).text).toBe(`de:${text}`);
    await harness().run('language', { language: 'Japanese' });
    expect((await last('translate', { text }, { locale: 'de' })).text).toBe(`ja:${text}`);
  });

  it('shows a translation that is the same as the text', async () => {
    harness().speech.translate = (same) => same;
    const options = { text: 'Kubernetes Helm Docker', from: 'en', to: 'es' };
    expect(await last('translate', options)).toEqual({ text: 'Kubernetes Helm Docker' });
  });

  it('says so when there is nothing to do', async () => {
    expect(await last('translate', { text, to: 'en' })).toMatchObject({
      text: sentence('translate.same-language', { language: 'English' }),
      tone: 'note',
    });
    expect((await last('translate', { text: '🎉', to: 'ja' })).tone).toBe('note');
  });

  it('names a language that it does not know', async () => {
    expect(await last('translate', { text, to: 'Klingonese' })).toMatchObject({
      tone: 'error',
      text: expect.stringContaining('`Klingonese`') as string,
    });
  });

  it('says what the service lacks', async () => {
    const error = 'No engine translates en to es. Add one: apt-get install -y apertium-eng-spa';
    const body = JSON.stringify({ context: [], code: 404, name: 'ErrNotRegistered', error });
    const shown = async (role: 'moderator' | 'member') => {
      harness().speech.fail(PATHS.translate, { status: 404, body });
      return (
        await last('translate', { text, to: 'es' }, { role, isOperator: role === 'moderator' })
      ).text;
    };
    const lack = sentence('errors.missing');
    expect(await shown('moderator')).toBe(
      `${lack} ${sentence('remedies.detail', { detail: error })}`,
    );
    expect(await shown('member')).toBe(`${lack} ${sentence('errors.ask-moderator')}`);
  });

  it('says what our own service lacks in the person’s language', async () => {
    const lacking = async (error: string, role: 'moderator' | 'member' = 'moderator') => {
      const body = JSON.stringify({
        context: [],
        code: 110,
        name: 'ErrServiceNotRegistered',
        error,
      });
      harness().speech.fail(PATHS.translate, { status: 404, body });
      return (
        await last(
          'translate',
          { text, to: 'es' },
          { locale: 'de', role, isOperator: role === 'moderator' },
        )
      ).text;
    };
    const pair = { from: { language: 'en' }, to: { language: 'es' } };
    const lack = sentence('service.no-translation', pair, 'de');
    const named = 'apt-get install -y apertium-eng-spa, or set SERVICE_OPENAI_URL';
    const remedies = '`apt-get install -y apertium-eng-spa`, set `SERVICE_OPENAI_URL`';
    const error = `No engine translates en to es. Add one: ${named}.`;
    expect(await lacking(error)).toBe(
      `${lack} ${sentence('remedies.add-engine', { count: 2, remedies }, 'de')}`,
    );
    expect(await lacking(error, 'member')).toBe(
      `${lack} ${sentence('errors.ask-moderator', {}, 'de')}`,
    );
    expect(await lacking('No engine translates en to es.', 'member')).toBe(lack);
  });

  describe('a recording that was recognised while it was made', () => {
    const dictated = async () => ({ text: 'good morning', language: 'en', segments: [] });
    const audio = { ...attachmentOf(toneWav(2)), dictated };
    const recognitions = () => harness().speech.seen.filter(({ path }) => path === PATHS.asr);

    it('is translated without being recognised again', async () => {
      const { text: shown } = await last('translate', { audio, to: 'ja' });
      expect(shown).toBe('good morning\n\n**Japanese**\nja:good morning');
      expect(recognitions()).toEqual([]);
    });

    it('is recognised anew when its language is given', async () => {
      const { text: shown } = await last('translate', { audio, from: 'es', to: 'ja' });
      expect(shown).toBe('hello there\n\n**Japanese**\nja:hello there');
      expect(recognitions()).toHaveLength(1);
    });
  });

  it('completes languages in the person’s words', async () => {
    expect((await completions('translate', 'to', 'jap'))[0]).toEqual({
      value: 'ja',
      label: 'Japanese · 日本語 (ja)',
    });
  });
});

describe('the engine of a translation', () => {
  const scripted = useCommandHarness();
  const offer = (...names: readonly string[]): void => {
    scripted().script.engines = names.map((name) => ({
      name,
      serves: ['translation'],
      ready: true,
      detail: '',
    }));
  };
  const shownFor = async (engine?: string): Promise<string> =>
    (await scripted().run('translate', { text: 'hello', to: 'es', ...(engine ? { engine } : {}) }))
      .text;
  const onMessage = async (id = 'ada', message = messageOf('hello')): Promise<string> =>
    (await scripted().run('translate', {}, { on: message, member: { id, locale: 'ja' } })).text;

  it('is named where it is a small one, with the others that can be asked', async () => {
    expect(await shownFor()).toBe('es:hello');
    const { script } = scripted();
    offer('pseudo', 'bergamot', 'of other pairs');
    script.engines = [
      ...script.engines,
      { name: 'apertium', serves: ['translation'], ready: false, detail: '' },
    ];
    script.model = () => 'bergamot-en-es';
    script.unable = ['of other pairs'];
    const small = sentence('translate.small-engine', { engines: 'Bergamot' });
    const others = sentence('translate.other-engines', { engines: 'pseudo' });
    expect(await shownFor('Bergamot')).toBe(`es:hello\n\n${small}\n${others}`);
  });

  it('is one of those that are there, and no model that the operator did not choose', async () => {
    const asked: (string | undefined)[] = [];
    scripted().script.model = (model) => {
      asked.push(model);
      return 'large';
    };
    expect(await shownFor('gpt-5-pro')).toBe(
      sentence('translate.unknown-engine', { engine: '`gpt-5-pro`', engines: 'pseudo' }),
    );
    offer();
    expect(await shownFor('pseudo')).toBe(
      sentence('translate.unknown-engine', { engine: '`pseudo`', engines: '–' }),
    );
    expect(asked).toEqual([]);
  });

  it('is one for the language of the channel, else of the server, where a person chose none', async () => {
    const run = (name: string, options: Record<string, unknown>) => scripted().run(name, options);
    const rule = { about: 'reading', everywhere: true };
    expect(await onMessage()).toBe('ja:hello');
    await run('autotranslate reply', { languages: 'it' });
    await run('autotranslate rules', { ...rule, values: 'Spanish' });
    expect(await onMessage()).toBe('es:hello');
    await run('autotranslate rules', { about: 'reading', values: 'French' });
    expect(await onMessage()).toBe('fr:hello');
    await run('autotranslate rules', { about: 'reading', rule: 'none' });
    expect(await onMessage()).toBe('ja:hello');
    await run('autotranslate rules', { about: 'reading', values: 'French' });
    await run('language', { language: 'German' });
    expect(await onMessage()).toBe('de:hello');
  });

  it('is another when a message is translated again, and the usual one in the end', async () => {
    scripted().script.model = (asked = 'bergamot') => `${asked}-en-ja`;
    offer('bergamot', 'apertium');
    const first = await onMessage();
    expect(first).toContain('Bergamot');
    expect(first).toContain('apertium');
    const second = await onMessage();
    expect(second).toContain('Apertium');
    expect(second).not.toContain('bergamot');
    expect(await onMessage()).toBe(first);
  });

  it('is another only for whoever asks again', async () => {
    scripted().script.model = (asked = 'bergamot') => `${asked}-en-ja`;
    offer('bergamot', 'apertium');
    const first = await onMessage('ada');
    expect(await onMessage('bob')).toBe(first);
    expect(await onMessage('ada')).toContain('Apertium');
    expect(await onMessage('carol')).toBe(first);
  });

  it('is named of a translation that was posted, though it needs none', async () => {
    const { script } = scripted();
    script.copied = ['bergamot-pt-en', 'large'];
    const copy: Message = {
      ...messageOf('hello'),
      author: { id: 'dragoman', name: 'Bob', kind: 'ourselves' },
    };
    const note = sentence('translate.small-engine', { engines: 'Bergamot' });
    const inEnglish = async (message: Message) =>
      (await scripted().run('translate', {}, { on: message, member: { locale: 'en' } })).text;
    const same = sentence('translate.same-language', { language: 'English' });
    expect(await inEnglish(copy)).toBe(`${same}\n${note}`);
    expect(await inEnglish(messageOf('hello'))).toBe(same);
    expect(await onMessage('ada', copy)).toBe(
      `ja:hello\n\n${sentence('translate.small-engine', { engines: 'Bergamot' }, 'ja')}`,
    );
  });

  it('can be bettered where a copy in one’s own language is its translation', async () => {
    const copy: Message = {
      ...messageOf('hello'),
      author: { id: 'dragoman', name: 'Bob', kind: 'ourselves' },
    };
    const presses = async (on: Message) => {
      const shown = await scripted().run('translate', {}, { on, member: { locale: 'en' } });
      return (shown.controls ?? []).map((each) => ('press' in each ? each.press : ''));
    };
    expect(await presses(copy)).toEqual([]);
    scripted().script.copied = ['large'];
    expect(await presses(copy)).toEqual(['glossary better:en']);
    expect(await presses(messageOf('hello'))).toEqual([]);
  });

  it('is completed from those that are there', async () => {
    expect(await scripted().complete('translate', 'engine', 'ps')).toEqual(['pseudo|pseudo']);
    expect(await scripted().complete('translate', 'engine', 'x')).toEqual([]);
  });
});

describe('/language', () => {
  it('chooses, by typing or in a menu, shows and gives up one’s own', async () => {
    expect((await last('language')).text).toBe(sentence('language.choose'));
    await harness().pressNamed('language choose', {}, ['fr']);
    expect((await last('language')).text).toBe(
      sentence('language.current', { language: 'French' }),
    );
    expect((await last('language', { language: 'Klingonese' })).tone).toBe('error');
    expect((await last('language', { language: 'ja' })).text).toContain('Japanese');
    expect((await last('language')).text).toBe(
      sentence('language.current', { language: 'Japanese' }),
    );
    await harness().run('language', { reset: true });
    expect((await last('language')).text).toBe(sentence('language.choose'));
  });
});
