import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { sniff } from '../../src/audio/sniff.ts';
import type { Content } from '../../src/model.ts';
import { attachmentOf, SPACE, startHarness, type Harness } from '../fakes/harness.ts';
import { VOICE } from '../fakes/speech.ts';
import { toneWav } from '../fakes/tone.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness();
});
afterEach(async () => harness[Symbol.asyncDispose]());

const last = async (
  command: string,
  options: Record<string, unknown> = {},
  member = {},
): Promise<Content> => {
  const shown = await harness.run(command, options, member);
  const content = shown.at(-1);
  if (!content) throw new Error('nothing was shown');
  return content;
};

const completions = async (command: string, option: string, typed: string) =>
  harness.core.complete({
    command,
    option,
    typed,
    member: { platform: 'test', id: 'ada', name: 'Ada', locale: 'en', role: 'moderator' },
    space: SPACE,
  });

describe('/translate', () => {
  const text = 'The quick brown fox jumps over the lazy dog';

  it('translates into a language by name or code, and grows on the way', async () => {
    for (const to of ['es', 'Spanish', 'español', 'スペイン語']) {
      const shown = await harness.run('translate', { text, to });
      expect(shown.at(-1)).toEqual({ text: `es:${text}` });
    }
  });

  it('goes by the person’s own language, then by that of their app', async () => {
    expect((await last('translate', { text }, { locale: 'de' })).text).toBe(`de:${text}`);
    await harness.run('language', { language: 'Japanese' });
    expect((await last('translate', { text }, { locale: 'de' })).text).toBe(`ja:${text}`);
  });

  it('says so when there is nothing to do', async () => {
    expect(await last('translate', { text, to: 'en' })).toMatchObject({
      text: 'That is in English already.',
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
    harness.speech.fail(PATHS.translate, { status: 404, body });
    expect((await last('translate', { text, to: 'es' })).text).toContain(error);
  });

  it('says what our own service lacks in the person’s language', async () => {
    const lacking = (error: string) => {
      const body = JSON.stringify({
        context: [],
        code: 110,
        name: 'ErrServiceNotRegistered',
        error,
      });
      harness.speech.fail(PATHS.translate, { status: 404, body });
      return last('translate', { text, to: 'es' }, { locale: 'de' });
    };
    const remedies = 'apt-get install -y apertium-eng-spa, or set SERVICE_OPENAI_URL';
    expect((await lacking(`No engine translates en to es. Add one: ${remedies}.`)).text).toBe(
      'Von Englisch nach Spanisch übersetzt hier noch nichts. Wer mich betreibt, kann es mit einem ' +
        'davon hinzufügen: `apt-get install -y apertium-eng-spa`, `set SERVICE_OPENAI_URL`',
    );
    expect((await lacking('No engine translates en to es.')).text).toBe(
      'Von Englisch nach Spanisch übersetzt hier noch nichts.',
    );
  });

  it('completes languages in the person’s words', async () => {
    expect((await completions('translate', 'to', 'jap'))[0]).toEqual({
      value: 'ja',
      label: 'Japanese · 日本語 (ja)',
    });
  });
});

describe('/transcribe', () => {
  const wav = toneWav(2);

  it('writes down what it hears', async () => {
    expect(await last('transcribe', { audio: attachmentOf(wav, 'a.wav') })).toEqual({
      text: 'hello there',
    });
  });

  it('translates it as well', async () => {
    const { text } = await last('transcribe', { audio: attachmentOf(wav), to: 'ja' });
    expect(text).toBe('hello there\n\n**Japanese**\nja:hello there');
  });

  it('keeps the transcript when its translation fails', async () => {
    const broken = Array.from({ length: 4 }, () => ({ status: 503 }));
    harness.speech.fail(PATHS.translate, ...broken);
    const content = await last('transcribe', { audio: attachmentOf(wav), to: 'ja' });
    expect(content.tone).toBe('error');
    expect(content.text).toContain('hello there');
  });

  it.each([
    ['empty', new Uint8Array(0)],
    ['no audio', Buffer.from('%PDF-1.7 not audio at all, whatever its name says')],
    ['cut off in its header', wav.subarray(0, 20)],
  ])('says in a sentence that a file is %s', async (_, bytes) => {
    const content = await last('transcribe', { audio: attachmentOf(bytes, 'voice.mp3') });
    expect(content.tone).toBe('error');
    expect(content.text.length).toBeGreaterThan(10);
    expect(harness.speech.seen).toEqual([]);
  });
});

describe('/say', () => {
  it('gives an audio file and says whose voice it is', async () => {
    const content = await last('say', { text: 'Hello there.' });
    expect(content.text).toBe('Spoken by Ada · English');
    expect(content.files).toMatchObject([{ name: 'speech.mp3', mediaType: 'audio/mpeg' }]);
    expect(sniff(content.files?.[0]?.bytes ?? new Uint8Array())).toBe('mp3');
  });

  it('makes the format that was asked for', async () => {
    const content = await last('say', { text: 'Hello there.', format: 'flac' });
    expect(content.files?.[0]?.name).toBe('speech.flac');
  });

  it('speaks with any voice rather than with none when the language was only guessed', async () => {
    harness.speech.voices = [{ ...VOICE, language: 'Korean' }];
    const answer = await last('say', { text: 'ciao' }, { locale: 'de' });
    expect(answer.files).toHaveLength(1);
  });

  it('refuses to gather audio without end', async () => {
    const body = 'x'.repeat(11 * 1_048_576);
    const headers = { 'content-type': 'audio/pcm' };
    harness.speech.fail(PATHS.tts, { status: 200, body, headers });
    const content = await last('say', { text: 'Hello there.', format: 'pcm' });
    expect(content).toMatchObject({ tone: 'error' });
    expect(content.text).toContain('too large');
  });

  it('makes what the platform can show, and nothing that is sure to be larger', async () => {
    const asked = () => harness.speech.seen.filter(({ path }) => path === PATHS.tts).length;
    // Our service speaks faster than people, at another rate than the voice says.
    harness.speech.voices = [{ ...VOICE, sample_rates: [8_000] }];
    const text = 'Hello there. '.repeat(40);
    harness.limitFiles(300_000);
    expect((await last('say', { text, format: 'wav' })).files).toHaveLength(1);
    harness.limitFiles(200_000);
    const tooLarge = { tone: 'error', text: expect.stringContaining('too large') as string };
    expect(await last('say', { text, format: 'wav' })).toMatchObject(tooLarge);
    expect(asked()).toBe(2);
    expect(await last('say', { text: text.repeat(2), format: 'wav' })).toMatchObject(tooLarge);
    expect(asked()).toBe(2);
    expect((await last('say', { text: text.repeat(2), format: 'ogg' })).files).toHaveLength(1);
  });

  it('makes a small file where nobody asked for a certain one', async () => {
    harness.speech.voices = [{ ...VOICE, formats: ['wav', 'flac', 'ogg'] }];
    expect((await last('say', { text: 'Hello there.' })).files?.[0]?.name).toBe('speech.ogg');
  });

  it('does not put another voice in the place of one that was asked for', async () => {
    const content = await last('say', { text: 'Hello there.', voice: 'nobody at all' });
    expect(content).toMatchObject({ tone: 'error' });
  });

  it('says so when no voice speaks the language that was asked for', async () => {
    expect((await last('say', { text: 'Hallo', language: 'de' })).text).toContain('/voices');
  });

  it('speaks with one’s own voice', async () => {
    const mine = { ...VOICE, id: '11111111-2222-4333-8444-555555555555', description: 'Mine' };
    harness.speech.voices = [VOICE, mine];
    await harness.run('voice', { voice: mine.id });
    expect((await last('say', { text: 'Hello there.' })).text).toContain('Mine');
    await harness.core.services.settings.change(
      { platform: 'test', id: 'ada' },
      { voiceId: '99999999-2222-4333-8444-555555555555' },
    );
    const { text, files } = await last('say', { text: 'Hello there.' });
    expect(files).toHaveLength(1);
    expect(text).toContain('Your own voice is no longer there');
  });
});

describe('/voices and /voice', () => {
  it('list what there is', async () => {
    expect((await last('voices')).text).toContain('**Ada** · English · Female');
    expect((await last('voices', { language: 'fr' })).tone).toBe('note');
  });

  it('choose, show and give up one’s own', async () => {
    expect((await last('voice')).tone).toBe('note');
    expect((await last('voice', { voice: 'ada' })).text).toContain('Ada');
    expect((await last('voice')).text).toBe('Your voice is Ada · English.');
    await harness.run('voice', { reset: 'yes' });
    expect((await last('voice')).tone).toBe('note');
    expect((await last('voice', { voice: 'nobody' })).tone).toBe('error');
  });

  it('complete by description', async () => {
    expect(await completions('voice', 'voice', 'ad')).toEqual([
      { value: VOICE.id, label: 'Ada (English, Female)' },
    ]);
  });
});

describe('/language', () => {
  it('chooses, shows and gives up one’s own', async () => {
    expect((await last('language')).tone).toBe('note');
    expect((await last('language', { language: 'Klingonese' })).tone).toBe('error');
    expect((await last('language', { language: 'ja' })).text).toContain('Japanese');
    expect((await last('language')).text).toBe('Your language is Japanese.');
    await harness.run('language', { reset: true });
    expect((await last('language')).tone).toBe('note');
  });
});

describe('/glossary', () => {
  it('adds, lists, completes, exports and removes', async () => {
    await harness.run('glossary add', {
      term: 'blue mage',
      translation: '青魔道士',
      language: 'ja',
    });
    await harness.run('glossary add', { term: 'Dragoman' });
    const list = await last('glossary list');
    expect(list.text).toContain('`blue mage` → `青魔道士` · Japanese');
    expect((await completions('glossary remove', 'term', 'MAGE'))[0]?.value).toBe('blue mage');
    const csv = (await last('glossary export')).files?.[0]?.bytes;
    expect(Buffer.from(csv ?? []).toString()).toContain('blue mage,ja,青魔道士');
    expect((await last('glossary remove', { term: 'Blue Mage' })).text).toContain('Removed');
    expect((await last('glossary remove', { term: 'Blue Mage' })).tone).toBe('error');
  });

  it('is used by the next translation', async () => {
    await harness.run('glossary add', { term: 'fox', translation: 'KITSUNE' });
    const { text } = await last('translate', { text: 'The quick brown fox', to: 'ja' });
    expect(text).toContain('KITSUNE');
  });

  it('imports a file and tells what it left out', async () => {
    const file = attachmentOf(
      Buffer.from('term,language,translation\nfox,ja,狐\n,ja,x\n'),
      'g.csv',
    );
    const { text } = await last('glossary import', { file });
    expect(text).toContain('Added 1, changed 0, left out 1.');
    expect(text).toContain('Line 3');
  });

  it('imports two plain columns into the language that is named, and says so', async () => {
    const file = attachmentOf(Buffer.from('fox,狐\nbear,熊\n'), 'g.csv');
    const refused = await last('glossary import', { file });
    expect(refused).toMatchObject({ tone: 'error' });
    expect(refused.text).toContain('option `to`');
    const { text } = await last('glossary import', { file, to: 'Japanese' });
    expect(text).toBe(
      'Added 2, changed 0, left out 0.\n' +
        'I took the two columns for terms and their translations into Japanese.',
    );
    const header = attachmentOf(Buffer.from('en;ja;es\nfox;狐;zorro\n'), 'g.csv');
    expect((await last('glossary import', { file: header })).text).toContain(
      'into Japanese, Spanish.',
    );
    const rest = attachmentOf(Buffer.from('term,language,translation\nowl,,梟\n'), 'g.csv');
    expect((await last('glossary import', { file: rest, to: 'ja' })).text).toContain(
      'Lines that name no language count for this one: Japanese.',
    );
  });

  it('is changed by moderators only', async () => {
    const content = await last('glossary add', { term: 'fox' }, { role: 'member' });
    expect(content.text).toBe('Only moderators can do that.');
  });

  it('shows terms without letting them break the markup', async () => {
    await harness.run('glossary add', { term: '`**@everyone' });
    expect((await last('glossary list')).text).toContain('`**@everyone`');
  });
});

describe('/ask', () => {
  it('streams the answer of the language model', async () => {
    expect(await last('ask', { question: 'Why?' })).toEqual({ text: 'You asked: Why?' });
  });

  it('is begun again when its stream breaks', async () => {
    harness.speech.fail(PATHS.chat, { cutAfter: 300 });
    expect(await last('ask', { question: 'Why?' })).toEqual({ text: 'You asked: Why?' });
  });

  it('says so when the language model stays silent', async () => {
    harness.speech.answers = () => '';
    expect((await last('ask', { question: 'Why?' })).tone).toBe('error');
  });
});

describe('/help', () => {
  it('lists every command, in the person’s language', async () => {
    const { text } = await last('help', {}, { locale: 'ja' });
    for (const { name } of harness.core.commands('ja', 'test')) {
      const [command = '', action] = name.split(' ');
      expect(text).toContain(`\`/${command}\``);
      if (action) expect(text).toContain(`\`${action}\``);
    }
    expect(text).toContain('文を訳す');
  });

  it('puts together what is for one purpose, in the order of the names', async () => {
    const { text } = await last('help');
    expect(text.split('\n\n').map((part) => part.match(/(?<=^\*\*).*(?=\*\*)|\/\w+/gm))).toEqual([
      ['Translate', '/glossary', '/language', '/translate'],
      ['Speech', '/say', '/transcribe', '/voice', '/voices'],
      ['This server', '/status', '/usage'],
      ['Privacy', '/privacy'],
      ['More', '/ask', '/help'],
      ['/help'],
    ]);
    expect(text).toContain(
      '- `/glossary` `add` `export` `import` `list` `remove` · Words that stay as they are, or become what you say',
    );
  });

  it('leaves out what the person may not use', async () => {
    const { text } = await last('help', {}, { role: 'member' });
    expect(text).not.toContain('/usage');
    expect(text).toContain('- `/glossary` `export` `list` ·');
  });

  it('leaves out what the platform has no use for', async () => {
    const { text } = await last('help');
    expect(text).not.toContain('/autotranslate');
    expect((await last('autotranslate list')).text).toContain('There is no command');
  });

  it('shows the options of one, or of a group', async () => {
    expect((await last('help', { command: '/translate' })).text).toContain('`to` (optional)');
    expect((await last('help', { command: 'glossary' })).text).toContain('/glossary import');
    expect((await last('help', { command: 'nothing' })).tone).toBe('error');
  });
});

describe('an asker who leaves', () => {
  it.each([
    ['translate', { text: 'How are you today?', to: 'ja' }, PATHS.translate],
    ['say', { text: 'Hello there.' }, PATHS.tts],
    ['ask', { question: 'Why?' }, PATHS.chat],
    ['transcribe', { audio: attachmentOf(toneWav(1)) }, PATHS.asr],
  ] as const)('takes the request of /%s along', async (command, options, path) => {
    harness.speech.fail(path, { hang: true });
    const asker = new AbortController();
    const run = harness.run(command, options, {}, asker.signal);
    await expect.poll(() => harness.speech.hanging()).toBe(1);
    asker.abort();
    expect((await run).at(-1)).toMatchObject({ text: 'Stopped.', tone: 'note' });
    await expect.poll(() => harness.speech.hanging()).toBe(0);
  });
});

describe('a service that is down', () => {
  it('gets one sentence from every command that needs it, and the next try works', async () => {
    const down = Array.from({ length: 8 }, () => ({ reset: true }) as const);
    for (const [command, options, path] of [
      ['translate', { text: 'How are you today?', to: 'ja' }, PATHS.translate],
      ['say', { text: 'Hello there.' }, PATHS.tts],
      ['ask', { question: 'Why?' }, PATHS.chat],
    ] as const) {
      harness.speech.fail(path, ...down.slice(0, 4));
      expect(await last(command, options)).toMatchObject({
        tone: 'error',
        text: expect.stringContaining('cannot be reached') as string,
      });
      expect((await last(command, options)).tone).toBeUndefined();
    }
  });
});
