import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineSection, serverSection } from '../../service/config.ts';
import { isLoopback, parseConfig, readEnvFile, strayNames } from '../../src/config.ts';
import { coreSection } from '../../src/app/core-config.ts';

describe('the configuration', () => {
  it('needs nothing', () => {
    const { core } = parseConfig({}, { core: coreSection });
    expect(core).toEqual({
      DATABASE_URL: 'sqlite:data/dragoman.db',
      LOG_LEVEL: 'info',
      SPEECH_DETECTOR: 'on',
      INBOX_DAYS: 7,
      COPY_DAYS: 365,
      DATABASE_CONNECTIONS: 10,
      DRAIN_S: 25,
      ROLES: new Set(['gateway', 'worker', 'web', 'service']),
      OPERATORS: new Set(),
    });
  });

  it('names the people who run Dragoman by platform and ID, and says how where it cannot read them', () => {
    const read = (OPERATORS: string) => parseConfig({ OPERATORS }, { core: coreSection }).core;
    expect(read('discord:80351110224678912, slack:U0123ABCD').OPERATORS).toEqual(
      new Set(['discord:80351110224678912', 'slack:U0123ABCD']),
    );
    expect(() => read('80351110224678912')).toThrow(/OPERATORS.*discord:80351110224678912/s);
  });

  it('takes an empty variable for an unset one', () => {
    expect(parseConfig({ LOG_LEVEL: ' ' }, { core: coreSection }).core.LOG_LEVEL).toBe('info');
  });

  it('tells five mistakes at once, by name and without their values', () => {
    const secret = 'wrong-secret-value';
    const wrong = {
      SPEECH_API_URL: 'ftp://example.org',
      SPEECH_API_KEY: secret,
      DATABASE_URL: 'mysql://x',
      LOG_LEVEL: 'loud',
      SERVICE_PORT: '99999',
    };
    const parse = () => parseConfig(wrong, { core: coreSection, server: serverSection });
    const names = Object.keys(wrong);
    expect(parse).toThrow('5 mistakes');
    for (const name of names) expect(parse).toThrow(name);
    expect(parse).not.toThrow(secret);
  });

  it('wants a key with an address of the service', () => {
    const parse = () => parseConfig({ SPEECH_API_URL: 'https://x.test' }, { core: coreSection });
    expect(parse).toThrow('SPEECH_API_KEY');
  });

  it('wants all roles in the one process that can use a SQLite database', () => {
    const parse = () => parseConfig({ ROLES: 'worker' }, { core: coreSection });
    expect(parse).toThrow('  ROLES: must be all with SQLite');
    expect(parse).toThrow('  SPEECH_API_URL: must be set for ROLES');
  });

  it.each([
    { ROLES: 'gateway', faults: ['SPEECH_API_URL: must be set for ROLES without service'] },
    { ROLES: 'worker', faults: ['SPEECH_API_URL: must be set for ROLES without service'] },
    { ROLES: 'web', faults: ['SPEECH_API_URL: must be set for ROLES without service'] },
    { ROLES: 'service', faults: [] },
    { ROLES: 'all', faults: [] },
    { ROLES: 'cook', SPEECH_API_URL: 'https://x.test', faults: ['ROLES: must be all'] },
    { ROLES: 'gateway', SPEECH_API_URL: 'http://service:8090', faults: [] },
    { ROLES: 'worker', SPEECH_API_URL: 'http://service:8090', faults: [] },
    { ROLES: 'web', SPEECH_API_URL: 'http://service:8090', faults: [] },
    { ROLES: 'service', SPEECH_API_URL: 'http://service:8090', faults: [] },
  ])(
    'takes the secret that all processes share, where it is enough: $ROLES, $SPEECH_API_URL',
    ({ faults, ...variables }) => {
      const shared = {
        DATABASE_URL: 'postgres://dragoman:secret@postgres.databases:5432/dragoman',
        WEB_TOKEN: 'a token of the page, long enough',
        ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
        SERVICE_KEYS: 'svck:0123456789abcdef',
        SPEECH_API_KEY: 'svck:0123456789abcdef',
        DISCORD_TOKEN: 'a.b.c',
      };
      const parse = () =>
        parseConfig({ ...shared, ...variables }, { core: coreSection, server: serverSection });
      if (faults.length === 0) expect(parse).not.toThrow();
      else expect(parse).toThrow(`has ${faults.length} mistake`);
      for (const fault of faults) expect(parse).toThrow(fault);
    },
  );

  it('takes the uses of the realtime paths in any order, and says which there are', () => {
    const parse = (SPEECH_REALTIME: string) =>
      parseConfig({ SPEECH_REALTIME }, { core: coreSection }).core.SPEECH_REALTIME;
    expect(parse(' speech, recognition')).toEqual(['speech', 'recognition']);
    expect(parse('recognition')).toEqual(['recognition']);
    expect(() => parse('on')).toThrow(
      'SPEECH_REALTIME: must be recognition, speech or recognition,speech',
    );
  });

  it('takes lines of an env file, which may be missing', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'dragoman-')), '.env');
    writeFileSync(file, 'LOG_LEVEL=debug\nHOST="::1"\n');
    expect(readEnvFile(file)).toEqual({ LOG_LEVEL: 'debug', HOST: '::1' });
    expect(readEnvFile(`${file}.missing`)).toEqual({});
  });

  it('knows which names nothing reads', () => {
    const environment = { LOG_LEVEL: 'debug', PROT: '80', SERVICE_PORT: '1' };
    expect(strayNames(environment, [coreSection, serverSection])).toEqual(['PROT']);
  });

  it('describes every variable', () => {
    for (const section of [coreSection, engineSection, serverSection])
      for (const [name, schema] of Object.entries(section.shape))
        expect(schema.description, name).toBeTruthy();
  });

  it.each([
    ['127.0.0.1', true],
    ['127.8.9.1', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['192.168.1.4', false],
    ['127.0.0.1.example.org', false],
  ])('knows that %s is loopback: %s', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});
