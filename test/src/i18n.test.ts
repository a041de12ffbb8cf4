import { describe, expect, it } from 'vitest';
import { loadTexts } from '../../src/i18n.ts';

const texts = loadTexts('locales');

describe('sentences that mention commands', () => {
  it('name them as every platform takes them, unless people type the locale’s own names', () => {
    expect(texts.in('ja')('glossary.empty')).toContain('`/glossary add`');
    const local = texts.in('ja', 'local')('glossary.empty');
    expect(local).toContain(`\`/${texts.typed({ command: 'glossary add' }, 'ja', 'local')}\``);
    expect(local).not.toContain('glossary');
  });

  it('name options too, and leave other words in code marks alone', () => {
    const option = texts.typed({ option: 'voice' }, 'de', 'local');
    expect(texts.in('de', 'local')('voice.none')).toContain(` ${option}:\``);
    expect(texts.in('de', 'local')('say.too-large')).toContain('`ogg`');
  });

  it('say in English what English is typed', () => {
    expect(texts.in('en', 'local')('voice.none')).toBe(texts.in('en')('voice.none'));
    expect(texts.typed({ command: 'glossary add' }, 'en', 'local')).toBe('glossary add');
  });

  it('keep names that no locale has', () => {
    expect(texts.typed({ command: 'no such' }, 'ja', 'local')).toBe('no such');
    expect(texts.typed({ option: 'nothing' }, 'ja', 'local')).toBe('nothing');
  });
});
