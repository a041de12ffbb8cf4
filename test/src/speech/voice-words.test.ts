import { expect, test } from 'vitest';
import { voiceWords } from '../../../src/speech/voice-words.ts';

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
