import { describe, expect, it } from 'vitest';
import { engineSection, serverSection } from '../../service/config.ts';
import { makeKey } from '../../service/keys/access.ts';
import type { EngineReport } from '../../src/model/service.ts';
import { engineTable } from '../../service/engine-report.ts';
import { parseConfig } from '../../src/config.ts';
import { engineConfig } from './support.ts';

describe('the service’s configuration', () => {
  it('tells all mistakes together, with names and without values', () => {
    const variables = {
      SERVICE_OPENAI_URL: 'ftp://secret',
      SERVICE_TTS_TEXT_LIMIT: 'many',
      SERVICE_OPENAI_TTS_VOICES: 'alloy:English:Robot',
    };
    const parse = (): unknown => engineConfig(variables);
    expect(parse).toThrow(/3 mistakes/);
    for (const name of Object.keys(variables)) expect(parse).toThrow(name);
    expect(parse).not.toThrow(/secret|many|Robot$/m);
  });

  it.each([
    ['without its prefix', 'abcdefghijklmnopqrstuvwxyz'],
    ['that is short', 'svck:abc'],
    ['with a space', 'svck:abcdefgh ijklmnopqrst'],
  ])('refuses a key %s', (_, key) => {
    const environment = { SERVICE_KEYS: `${makeKey()},${key}` };
    expect(() => parseConfig(environment, { server: serverSection })).toThrow('SERVICE_KEYS');
  });

  it('reads keys and listens on this machine alone by default', () => {
    const keys = [makeKey(), makeKey()];
    const { server } = parseConfig({ SERVICE_KEYS: keys.join(' , ') }, { server: serverSection });
    expect(server).toEqual({
      SERVICE_HOST: '127.0.0.1',
      SERVICE_PORT: 8090,
      SERVICE_DATABASE: 'data/service.db',
      SERVICE_KEYS: keys,
    });
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('reads origins, and refuses what no browser sends as one', () => {
    const parse = (SERVICE_BROWSER_ORIGINS: string) =>
      parseConfig({ SERVICE_BROWSER_ORIGINS }, { server: serverSection }).server
        .SERVICE_BROWSER_ORIGINS;
    expect(parse('https://a.example, http://10.0.0.5:8081')).toEqual([
      'https://a.example',
      'http://10.0.0.5:8081',
    ]);
    for (const wrong of [
      '*',
      'a.example',
      'https://a.example/',
      'https://a.example/page',
      'https://A.example',
      'https://a.example:443',
      'https://*.example',
      'file:///page.html',
      'null',
    ])
      expect(() => parse(`https://a.example,${wrong}`), wrong).toThrow('SERVICE_BROWSER_ORIGINS');
  });

  it('reads voices with and without language and gender', () => {
    const { SERVICE_OPENAI_TTS_VOICES } = engineConfig({
      SERVICE_OPENAI_TTS_VOICES: 'alloy, nova:English:Female',
    });
    expect(SERVICE_OPENAI_TTS_VOICES).toEqual([
      { name: 'alloy', language: expect.stringContaining('Japanese, Chinese'), gender: 'Neutral' },
      { name: 'nova', language: 'English', gender: 'Female' },
    ]);
  });

  it('describes every variable', () => {
    for (const section of [engineSection, serverSection])
      for (const [name, schema] of Object.entries(section.shape))
        expect(schema.description, name).toBeTruthy();
  });

  it('shows engines as lines that say how to add the missing ones', () => {
    const missing = { name: 'other', serves: ['chat'], ready: false, detail: 'set X' } as const;
    const lines = (isImage: boolean, ...more: readonly EngineReport[]): string[] =>
      engineTable([...more, missing], { DRAGOMAN_IMAGE: isImage }).split('\n');
    const [one, serves] = ['one', ['speech', 'translation']] as const;
    expect(lines(false, { name: one, serves, ready: true, detail: '3 voices' })).toEqual([
      expect.stringMatching(/yes +one +speech, translation: 3 voices/),
      expect.stringMatching(/no +other +chat\. To add it: set X/),
    ]);
    expect(lines(false).at(-1)).toBe('No engine translates yet. To add one, run: npm run setup');
    expect(lines(true).at(-1)).toMatch(/dragoman setup$/);
  });
});
