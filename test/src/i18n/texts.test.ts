import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Member } from '../../../src/model/place.ts';
import { describe, expect, it } from 'vitest';
import { PERMISSION_NAMES } from '../../../adapters/discord/permissions.ts';
import { AppError } from '../../../src/errors.ts';
import { explain, loadTexts } from '../../../src/i18n/texts.ts';
import { code } from '../../../src/rich-text/rich-text.ts';
import { markdownOf } from '../../fakes/rich-text.ts';

const texts = loadTexts('locales');

describe('sentences with languages', () => {
  it('name them in their own locale', () => {
    const params = { from: { language: 'en' }, to: { language: 'ja' } };
    expect(texts.in('de')('service.no-translation', params)).toMatch(/Englisch.*Japanisch/);
    expect(texts.in('zh-HK')('service.no-translation', params)).toMatch(/英文.*日文/);
  });
});

describe('sentences with permissions', () => {
  it.each([
    ['en', 'Manage Channels', 'Connect'],
    ['ja', 'チャンネルの管理', '接続'],
    ['de', 'Kanäle verwalten', 'Verbinden'],
  ])('name them as the platform does in %s, and others as they are', (locale, manage, connect) => {
    const permissions = { list: ['Manage Channels', '/invite @dragoman'] };
    expect(texts.in(locale)('watch.missing', { permissions })).toContain(manage);
    expect(texts.in(locale)('status.missing', { permissions })).toContain('/invite @dragoman');
    expect(texts.in(locale)('watch.missing', { permissions: 'Connect' })).toContain(connect);
    expect(texts.in(locale)('glossary.removed', { count: 1, term: 'Connect' })).toContain(
      'Connect',
    );
  });

  it.each(texts.locales)('have names for all of Discord’s in %s', (locale) => {
    for (const name of Object.values(PERMISSION_NAMES)) {
      expect(texts.has(`permissions.${name}`)).toBe(true);
      const shown = texts.in(locale)('status.missing', { permissions: { list: [name] } });
      if (locale !== 'en') expect(shown.endsWith(name)).toBe(false);
    }
  });
});

describe('sentences with numbers', () => {
  it.each(['en', 'de', 'es', 'fr', 'pt'])(
    'have a form for one and another for more in %s',
    (locale) => {
      for (const kind of ['channels', 'roles', 'threads']) {
        const room = { kind, left: 0, most: 500 };
        const of = (needed: number): string =>
          texts
            .in(locale)('autotranslate.wizard-no-room', { ...room, needed })
            .replace(/\d+/, '');
        expect(of(1)).not.toBe(of(2));
      }
      for (const key of ['limits.audio', 'limits.audio-each'] as const) {
        const of = (used: number): string =>
          texts.in(locale)(key, { used, limit: used, hours: 2 }).replaceAll(/\d+/g, '');
        expect(of(1)).not.toBe(of(2));
      }
    },
  );
});

describe('the message in a channel that the app is invited to', () => {
  it.each(texts.locales)('stays true once auto-translate is turned on, in %s', (locale) => {
    const ends = /until|erst|hasta|tant que|まで|전에|até|之前/;
    expect(texts.in(locale)('welcome.channel')).not.toMatch(ends);
  });
});

describe('sentences with lists', () => {
  it.each([
    ['en', 'A, `b`, C'],
    ['ja', 'A、`b`、C'],
    ['zh', 'A、`b`、C'],
    ['de', 'A, `b` und C'],
  ])('write them as %s does', (locale, list) => {
    const permissions = { list: ['A', code('b'), 'C'] };
    expect(markdownOf(texts.rich(locale)('watch.missing', { permissions }))).toContain(list);
    expect(texts.in(locale)('watch.missing', { permissions })).toContain(list.replaceAll('`', ''));
  });
});

describe('a sentence', () => {
  it.each([
    ['Nothing # to <fill> in', 'Nothing # to <fill> in'],
    ["It''s late", "It's late"],
    ["'{'so'}'", '{so}'],
    ['It is {name}', 'It is late'],
  ])('is written in ICU MessageFormat: %s', (written, said) => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-locales-'));
    writeFileSync(join(folder, 'en.json'), JSON.stringify({ 'errors.timeout': written }));
    expect(loadTexts(folder).in('en')('errors.timeout', { name: 'late' })).toBe(said);
  });
});

describe('an error', () => {
  const t = texts.in('en');
  const explained = (error: AppError, role: Member['role'], isOperator = false): string =>
    markdownOf(explain(texts.rich('en'), error, { role, isOperator }));

  it('tells who can mend it how, and others whom to ask', () => {
    const error = new AppError('config', 'no key', {
      sentence: { key: 'service.bad-key' },
      remedy: { key: 'remedies.check', params: { name: 'KEY' } },
    });
    const said = t('service.bad-key');
    const remedy = t('remedies.check', { name: 'KEY' });
    expect(explained(error, 'member', true)).toBe(`${said} ${remedy}`);
    expect(explained(error, 'moderator')).toBe(`${said} ${t('errors.ask-operator')}`);
    expect(explained(error, 'member')).toBe(`${said} ${t('errors.ask-moderator')}`);
    const own = { sentence: error.sentence, remedy: { key: 'remedies.own-key' } } as const;
    const ownFault = new AppError('config', 'a bad key', own);
    expect(explained(ownFault, 'moderator')).toBe(`${said} ${t('remedies.own-key')}`);
    expect(explained(ownFault, 'member', true)).toBe(`${said} ${t('errors.ask-moderator')}`);
  });

  it('of the configuration has its details in the log', () => {
    const error = new AppError('config', 'no such folder');
    expect(explained(error, 'member', true)).toBe(`${t('errors.config')} ${t('remedies.log')}`);
  });

  it('without a remedy is one sentence', () => {
    const error = new AppError('timeout', 'too slow');
    for (const role of ['moderator', 'member'] as const)
      expect(explained(error, role)).toBe(t('errors.timeout'));
  });
});

describe('the locale for a tag', () => {
  it.each([
    ['zh-TW', 'zh-TW'],
    ['zh-HK', 'zh-TW'],
    ['zh-Hant', 'zh-TW'],
    ['zh-Hant-HK', 'zh-TW'],
    ['ZH-tw', 'zh-TW'],
    ['zh-CN', 'zh'],
    ['zh-Hans', 'zh'],
    ['zh-SG', 'zh'],
    ['zh', 'zh'],
    ['es-419', 'es'],
    ['pt-BR', 'pt'],
    ['de-AT', 'de'],
    ['xx', 'en'],
    ['not a tag', 'en'],
    ['', 'en'],
  ])('of %j is %s', (tag, locale) => {
    expect(texts.pick([tag])).toBe(locale);
  });

  it('is of the first tag that fits', () => {
    expect(texts.pick(['xx', 'zh-HK', 'de'])).toBe('zh-TW');
  });
});

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

  it.each(['de', 'es', 'fr', 'ja', 'ko', 'pt', 'zh', 'zh-TW'])(
    'name options with their values as they are typed: %s',
    (locale) => {
      const key = 'autotranslate.age-restricted-code';
      const local = texts.typed({ option: 'age-restricted' }, locale, 'local');
      expect(texts.in(locale, 'local')(key)).toContain(`\`${local}: yes\``);
      expect(texts.in(locale, 'under dragoman')(key)).toContain('`age-restricted: yes`');
      const language = texts.typed({ option: 'language' }, locale, 'local');
      expect(texts.in(locale, 'local')('autotranslate.link-language')).toContain(`${language}:`);
    },
  );

  it('say in English what English is typed', () => {
    expect(texts.in('en', 'local')('voice.none')).toBe(texts.in('en')('voice.none'));
    expect(texts.typed({ command: 'glossary add' }, 'en', 'local')).toBe('glossary add');
  });

  it('name them behind the one command that a platform knows', () => {
    const naming = 'under dragoman';
    expect(texts.in('ja', naming)('glossary.empty')).toContain('`/dragoman glossary add`');
    expect(texts.in('en', naming)('voice.none')).toContain('`/dragoman voice voice:`');
    expect(texts.in('en', naming)('say.too-large')).toContain('`ogg`');
    expect(texts.typed({ command: 'ask' }, 'de', naming)).toBe('dragoman ask');
    expect(texts.typed({ option: 'voice' }, 'de', naming)).toBe('voice');
  });

  it('keep names that no locale has', () => {
    expect(texts.typed({ command: 'no such' }, 'ja', 'local')).toBe('no such');
    expect(texts.typed({ option: 'nothing' }, 'ja', 'local')).toBe('nothing');
  });
});
