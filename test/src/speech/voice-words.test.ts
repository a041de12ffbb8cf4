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
