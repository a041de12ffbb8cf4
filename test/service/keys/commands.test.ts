import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createKeys } from './support.ts';
import { fresh } from '../../fakes/opened.ts';

describe('the commands about keys', () => {
  const keys = fresh(() => createKeys());

  it('create a key for all with 10 USD, show it once and keep only its hash', () => {
    const key = keys.create('ada');
    expect(key).toMatch(/^svck:[\w-]{32}$/);
    const list = keys.run('list');
    expect(list).toMatch(/^ {2}ada {3}all {5}10\.00 USD {2}- {5}- {9}2026-03-04$/m);
    expect(list).not.toContain(key);
    const files = ['', '-wal'].map((end) => `${keys.database}${end}`).filter(existsSync);
    for (const file of files)
      expect(readFileSync(file).includes(key.slice('svck:'.length))).toBe(false);
  });

  it('create a key with what is said', () => {
    const options =
      '--access=speech:espeak-ng,translation --credit=0.5 --rate=5/s:10 --asr-rate 30/min';
    keys.run('create', 'bot.2', ...options.split(' '));
    expect(keys.find('bot.2')).toMatchObject({
      access: 'speech:espeak-ng,translation',
      creditNanoUsd: 500_000_000,
      rate: '5/s:10',
      asrRate: '30/min',
    });
  });

  it('change access, credit and rates, each alone', () => {
    keys.create('ada', '--rate', '1/s', '--access', 'chat');
    keys.run('change', 'ada', '--add-credit', '2.50');
    expect(keys.find('ada')).toMatchObject({ creditNanoUsd: 12_500_000_000, access: 'chat' });
    keys.run('change', 'ada', '--credit', '1', '--access', 'all');
    expect(keys.find('ada')).toMatchObject({ creditNanoUsd: 1_000_000_000, access: 'all' });
    keys.run('change', 'ada', '--rate', 'none', '--asr-rate', '2/s');
    expect(keys.find('ada')).toMatchObject({ rate: null, asrRate: '2/s' });
  });

  it('revoke a key, after which its name is free', () => {
    keys.create('ada');
    expect(keys.run('revoke', 'ada')).toBe('ada is revoked.');
    expect(keys.run('list')).toContain('There is no key');
    keys.create('ada');
  });

  it.each([
    ['a name that is taken', ['create', 'ada'], 'There is a key named ada already'],
    ['an unknown name to change', ['change', 'eve', '--credit', '1'], 'no key named eve'],
    ['an unknown name to revoke', ['revoke', 'eve'], 'no key named eve'],
    ['a name that is none', ['create', 'a b'], 'NAME must be'],
    ['no name', ['create'], 'Say one name to create'],
    ['two names', ['revoke', 'ada', 'eve'], 'Say one name to revoke'],
    ['a wrong word of access', ['create', 'x', '--access', 'chat,tts'], '"tts" is no access'],
    ['an unknown engine', ['create', 'x', '--access', 'speech:piper'], 'Engines: apertium'],
    ['a credit that is no amount', ['create', 'x', '--credit', '2x'], '--credit must be'],
    ['a credit with a sign', ['change', 'ada', '--credit=-1'], '--credit must be'],
    ['more credit than there can be', ['create', 'x', '--credit', '1000001'], '--credit must be'],
    ['a sum of more credit', ['change', 'ada', '--add-credit', '1000000'], 'at most 1000000'],
    ['two credits', ['change', 'ada', '--credit', '1', '--add-credit', '1'], 'Say either'],
    ['a rate that is none', ['create', 'x', '--rate', '5'], '--rate must be like 5/s'],
    ['nothing to change', ['change', 'ada'], 'Say what to change'],
    ['an unknown option', ['create', 'x', '--colour', 'red'], "Unknown option '--colour'"],
    ['an option that is not for it', ['list', '--credit', '1'], 'no options'],
    ['no command', [], 'Say create, list, change or revoke'],
  ])('refuse %s in a sentence, and change nothing', (_, words, sentence) => {
    keys.create('ada');
    const before = keys.run('list');
    expect(() => keys.run(...words)).toThrow(sentence);
    expect(keys.run('list')).toBe(before);
  });

  it('explain themselves', () => {
    expect(keys.run('--help')).toContain('keys create NAME');
    expect(keys.run('create', '--help')).toContain('speech:ENGINE');
  });
});
