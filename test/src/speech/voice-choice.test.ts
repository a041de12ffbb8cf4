import { describe, expect, it, test } from 'vitest';
import type { VoicePreference } from '../../../src/speech/speech.ts';
import {
  firstThatFits,
  fittingVoices,
  voicePreferences,
  voiceSpeaks,
  voiceWords,
} from '../../../src/speech/voice-choice.ts';
import { ASKER } from '../../fakes/asker.ts';
import { VOICE } from '../../fakes/speech.ts';

const never = new AbortController().signal;

describe('which voice is to speak', () => {
  it('is the one that was asked for, and no other', () => {
    expect(voicePreferences({ asked: { named: 'Ada' }, own: 'mine', guesses: ['de'] })).toEqual([
      { named: 'Ada' },
    ]);
    const asked = { language: 'ja', gender: 'Male' };
    expect(voicePreferences({ asked, own: 'mine', guesses: ['de'] })).toEqual([asked]);
  });

  it('is one’s own, then one of a language that it may be in, then any', () => {
    expect(voicePreferences({ own: 'mine', guesses: ['de', undefined, 'en', 'de'] })).toEqual([
      { named: 'mine' },
      { language: 'de' },
      { language: 'en' },
      {},
    ]);
  });

  it('is one’s own only after those of the text’s language, where that does not speak it', () => {
    expect(voicePreferences({ own: 'mine', textLanguage: 'de', guesses: ['de', 'en'] })).toEqual([
      { named: 'mine', language: 'de' },
      { language: 'de' },
      { named: 'mine' },
      { language: 'en' },
      {},
    ]);
    const german = { ...VOICE, id: 'b', language: 'German' };
    const japanese = { ...VOICE, id: 'mine', language: 'Japanese' };
    const own = (language: string) =>
      fittingVoices([japanese, german], { named: 'mine', language });
    expect(own('de')).toEqual([]);
    expect(own('ja')).toEqual([japanese]);
  });

  it('speaks the languages it names, all of them where it says so, and any where it names none', () => {
    const speaks = (language: string): boolean => voiceSpeaks({ ...VOICE, language }, 'de');
    expect(['German', 'English, German', 'Multilingual', '?'].map(speaks)).not.toContain(false);
    expect(['Japanese', 'ja-JP, en'].map(speaks)).not.toContain(true);
  });

  it('speaks Chinese however that is written, the voice that names the writing first', () => {
    const mandarin = { ...VOICE, id: 'a', language: 'Chinese (Mandarin)' };
    const taiwanese = { ...VOICE, id: 'b', language: 'zh-TW' };
    const voices = [VOICE, mandarin, taiwanese];
    expect(fittingVoices(voices, { language: 'zh-TW' })).toEqual([taiwanese, mandarin]);
    expect(fittingVoices(voices, { language: 'zh' })).toEqual([mandarin, taiwanese]);
  });

  it('is not one’s own where another gender was asked for', () => {
    const asked = { gender: 'Female' };
    expect(voicePreferences({ asked, own: 'mine', guesses: ['de'] })).toEqual([
      { language: 'de', gender: 'Female' },
      { gender: 'Female' },
    ]);
  });

  it('is the first that there is', async () => {
    const asked: VoicePreference[] = [];
    const speaker = {
      voices: async (preference: VoicePreference) => {
        asked.push(preference);
        return preference.language === 'en' ? [VOICE] : [];
      },
    };
    const wishes = voicePreferences({ guesses: ['fi', 'en', 'de'] });
    expect(await firstThatFits(wishes, ASKER.space, speaker, never)).toEqual({
      preference: { language: 'en' },
      voices: [VOICE],
    });
    expect(asked).toHaveLength(2);
    const none = await firstThatFits([{ language: 'fi' }, {}], ASKER.space, speaker, never);
    expect(none).toEqual({ preference: {}, voices: [] });
  });
});

test.each([
  [
    'the language in its words',
    ['English (Great Britain), male, eSpeak NG', 'English (Great Britain), en-GB', 'Male'],
    ['English (Great Britain), male, eSpeak NG'],
  ],
  [
    'the code of the language',
    ['A voice for ja, female', 'Japanese, ja', 'Female'],
    ['A voice for ja, female'],
  ],
  ['nothing', ['Ada', 'English', 'Female'], ['Ada', 'English', 'Female']],
  ['another gender', ['Spanish, female', 'Spanish', 'Male'], ['Spanish, female', 'Male']],
  [
    'one language of two',
    ['Japanese', 'Japanese and English', ''],
    ['Japanese', 'Japanese and English'],
  ],
  [
    'one language of a list',
    ['English voice', 'English, Japanese', ''],
    ['English voice', 'English, Japanese'],
  ],
  [
    'all languages of a list',
    ['Speaks Japanese and English', 'English, Japanese', ''],
    ['Speaks Japanese and English'],
  ],
  ['all codes of a list', ['For en and ja', 'en, ja', ''], ['For en and ja']],
  [
    'all but the codes of a list',
    ['Japanese and English', 'English, en-GB, Japanese, ja', ''],
    ['Japanese and English'],
  ],
  [
    'none of the languages of a list that ends in a comma',
    ['Ada', 'English, ', ''],
    ['Ada', 'English,'],
  ],
  ['no language at all', ['Ada', '', 'Neutral'], ['Ada', 'Neutral']],
  [
    'itself on two lines',
    ['Ada\nof *Rome*', 'Latin', 'Female'],
    ['Ada of *Rome*', 'Latin', 'Female'],
  ],
  ['nothing, as it is blank', ['', 'English', 'Male'], ['the-id', 'English', 'Male']],
] as const)('of a voice whose description says %s', (_, [description, language, gender], words) => {
  expect(voiceWords({ id: 'the-id', description, language, gender })).toEqual(words);
});
