import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { sniff } from '../../src/audio/container/sniff.ts';
import { VOICE } from '../fakes/speech.ts';
import { useCoreHarness } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const { harness, last } = useCoreHarness();

describe('/say', () => {
  it('gives an audio file and says whose voice it is', async () => {
    const content = await last('say', { text: 'Hello there.' });
    expect(content.text).toBe(sentence('say.spoken-by', { voice: 'Ada · English · Female' }));
    expect(content.files).toMatchObject([{ name: 'speech.mp3', mediaType: 'audio/mpeg' }]);
    expect(Buffer.from(content.files![0]!.bytes).toString('latin1')).toContain('Synthetic speech');
    expect(sniff(content.files?.[0]?.bytes ?? new Uint8Array())).toBe('mp3');
  });

  it('makes the format that was asked for', async () => {
    const content = await last('say', { text: 'Hello there.', format: 'flac' });
    expect(content.files?.[0]?.name).toBe('speech.flac');
  });

  it('speaks with any voice rather than with none when the language was only guessed', async () => {
    harness().speech.voices = [{ ...VOICE, language: 'Korean' }];
    const answer = await last('say', { text: 'ciao' }, { locale: 'de' });
    expect(answer.files).toHaveLength(1);
  });

  it('refuses to gather audio without end', async () => {
    const body = 'x'.repeat(11 * 1_048_576);
    const headers = { 'content-type': 'audio/pcm' };
    harness().speech.fail(PATHS.tts, { status: 200, body, headers });
    const content = await last('say', { text: 'Hello there.', format: 'pcm' });
    expect(content).toMatchObject({ tone: 'error' });
    expect(content.text).toBe(sentence('say.too-large'));
  });

  it('makes what the platform can show, and nothing that is sure to be larger', async () => {
    const asked = () => harness().speech.seen.filter(({ path }) => path === PATHS.tts).length;
    // Our service speaks faster than people, at another rate than the voice says.
    harness().speech.voices = [{ ...VOICE, sample_rates: [8_000] }];
    const text = 'Hello there. '.repeat(40);
    harness().limitFiles(300_000);
    expect((await last('say', { text, format: 'wav' })).files).toHaveLength(1);
    harness().limitFiles(200_000);
    const tooLarge = { tone: 'error', text: sentence('say.too-large') };
    expect(await last('say', { text, format: 'wav' })).toMatchObject(tooLarge);
    // The first request is refused: WAV cannot be streamed.
    expect(asked()).toBe(3);
    expect(await last('say', { text: text.repeat(2), format: 'wav' })).toMatchObject(tooLarge);
    expect(asked()).toBe(3);
    expect((await last('say', { text: text.repeat(2), format: 'ogg' })).files).toHaveLength(1);
  });

  it('makes a small file where nobody asked for a certain one', async () => {
    harness().speech.voices = [{ ...VOICE, formats: ['wav', 'flac', 'ogg'] }];
    expect((await last('say', { text: 'Hello there.' })).files?.[0]?.name).toBe('speech.ogg');
  });

  it('does not put another voice in the place of one that was asked for', async () => {
    const content = await last('say', { text: 'Hello there.', voice: 'nobody at all' });
    expect(content).toMatchObject({ tone: 'error' });
  });

  it('says so when no voice speaks the language that was asked for', async () => {
    expect((await last('say', { text: 'Hallo', language: 'de' })).text).toBe(
      sentence('speech.no-voice'),
    );
  });

  it('speaks with one’s own voice', async () => {
    const mine = { ...VOICE, id: '11111111-2222-4333-8444-555555555555', description: 'Mine' };
    harness().speech.voices = [VOICE, mine];
    await harness().run('voice', { voice: mine.id });
    expect((await last('say', { text: 'Hello there.' })).text).toContain('Mine');
    await harness().core.services.settings.change(
      { platform: 'test', id: 'ada' },
      { voiceId: '99999999-2222-4333-8444-555555555555' },
    );
    const { text, files } = await last('say', { text: 'Hello there.' });
    expect(files).toHaveLength(1);
    expect(text).toContain(sentence('say.voice-gone'));
  });

  describe('in a language that one’s own voice does not speak', () => {
    const GERMAN = 'Das ist ein ganz normaler deutscher Satz.';
    const japanese = {
      ...VOICE,
      id: '11111111-2222-4333-8444-555555555555',
      description: 'Haruka',
      language: 'Japanese',
    };
    const german = { ...VOICE, description: 'Hans', language: 'German' };
    const params = { language: 'German' };

    it('another voice speaks, and the answer says why', async () => {
      harness().speech.voices = [japanese, german];
      await harness().run('voice', { voice: japanese.id });
      const { text } = await last('say', { text: GERMAN });
      expect(text).toContain('Hans');
      expect(text).toContain(sentence('say.other-voice', params));
    });

    it('one’s own voice speaks where no other does, and the answer says so', async () => {
      harness().speech.voices = [japanese];
      await harness().run('voice', { voice: japanese.id });
      const { text } = await last('say', { text: GERMAN });
      expect(text).toContain('Haruka');
      expect(text).toContain(sentence('say.foreign-voice', params));
    });

    it('a voice that was asked for speaks, and the answer says so', async () => {
      harness().speech.voices = [japanese, german];
      const { text } = await last('say', { text: GERMAN, voice: 'Haruka' });
      expect(text).toContain(sentence('say.foreign-voice', params));
    });

    it('a language that was asked for gets its voice, without a note', async () => {
      harness().speech.voices = [japanese, german];
      const { text } = await last('say', { text: GERMAN, language: 'ja' });
      expect(text).toContain('Haruka');
      expect(text).not.toContain(sentence('say.foreign-voice', params));
    });
  });
});
