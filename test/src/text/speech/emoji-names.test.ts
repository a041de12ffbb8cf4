import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emojiNames, languages } from '../../../../scripts/make-emoji-names.ts';
import { EMOJI_LANGUAGES, emojiName } from '../../../../src/text/speech/spoken-emoji.ts';

const FOLDER = join(import.meta.dirname, '../../../../src/text/speech/emoji');

describe('the names of emoji', () => {
  it.each(languages)('are what the script makes of emojibase-data in %s', (language) => {
    const kept = JSON.parse(readFileSync(join(FOLDER, `${language}.json`), 'utf8')) as unknown;
    expect(kept).toEqual(emojiNames(language));
  });

  it('are in the languages that are listed, and no others', () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
    expect(files.map((file) => file.replace('.json', '')).toSorted()).toEqual(
      [...EMOJI_LANGUAGES].toSorted(),
    );
    expect([...languages].toSorted()).toEqual([...EMOJI_LANGUAGES].toSorted());
  });

  it.each([
    ['zh-TW', 'zh-hant'],
    ['zh-CN', 'zh'],
    ['no', 'nb'],
    ['es-MX', 'es-mx'],
    ['en-US', 'en'],
    ['EN_gb', 'en-gb'],
  ])('for %s are those of %s', (locale, language) => {
    expect(emojiName('🎨', locale)).toBe(emojiNames(language)['🎨']);
  });

  it.each(['sw', 'xx', '', '../en'])('are none in %j', (locale) => {
    expect(emojiName('🎨', locale)).toBe('');
  });
});
