import { describe, expect, it } from 'vitest';
import {
  examine,
  findingLine,
  isFailure,
  verdict,
  type DoctorDeps,
} from '../../../src/ops/doctor.ts';
import type { AdapterModule, Core } from '../../../src/adapter.ts';
import type { ServiceState } from '../../../src/command/services.ts';
import type { EngineReport } from '../../../src/model/service.ts';
import { sql } from 'kysely';
import { openStore, type Store } from '../../../src/store/index.ts';

const engine = (name: string, serves: EngineReport['serves'], ready: boolean): EngineReport => ({
  name,
  serves,
  ready,
  detail: ready ? `${name} offers` : `set ${name.toUpperCase()}`,
});

const NOTHING_ADDED = [
  engine('openai', ['chat', 'translation', 'recognition', 'speech'], false),
  engine('apertium', ['translation'], false),
  engine('espeak-ng', ['speech'], true),
  engine('sherpa-onnx', ['recognition'], false),
];

const look = async (
  status: Partial<ServiceState>,
  modules: readonly AdapterModule[] = [],
  ffmpegVersion?: string,
  spoil: (store: Store) => Promise<unknown> = async () => undefined,
  ownKeys?: DoctorDeps['ownKeys'],
  more: Partial<DoctorDeps> = {},
) => {
  const store = await openStore('sqlite::memory:');
  await spoil(store);
  const core = {
    services: {
      status: async () => ({ builtIn: true, reachable: true, engines: NOTHING_ADDED, ...status }),
    } as Partial<Core['services']>,
  } as Core;
  try {
    return await Array.fromAsync(
      examine({
        core,
        store,
        ...(ownKeys ? { ownKeys } : {}),
        databaseUrl: 'sqlite::memory:',
        ffmpegVersion,
        modules,
        config: {},
        hasOperators: true,
        ...more,
      }),
    );
  } finally {
    await store.destroy();
  }
};

describe('the doctor', () => {
  it('finds nothing wrong where nothing is set up, and says what can be added', async () => {
    const found = await look({});
    expect(found.map(findingLine)).toEqual([
      ' ok   Database                   sqlite::memory:',
      ' ok   Service                    built in',
      ' --   Service: translation       set OPENAI; or set APERTIUM',
      ' --   Service: recognition       set OPENAI; or set SHERPA-ONNX',
      ' ok   Service: speech            espeak-ng (espeak-ng offers)',
      ' --   Service: chat              set OPENAI',
      ' --   Audio: ffmpeg              for Apple Lossless, MKV, MOV, WMA, AMR and others: apt-get install -y ffmpeg',
    ]);
    expect(verdict(found)).toBe('Nothing is wrong. What "--" marks is optional.');
  });

  it.each([
    [{ stored: 0, unreadable: 0 }, []],
    [{ stored: 2, unreadable: 0 }, [[true, '2 stored']]],
    [
      { stored: 2, unreadable: 1 },
      [[false, expect.stringMatching(/^1 of 2 cannot be decrypted: .*ENCRYPTION_KEY/)]],
    ],
  ])('tells of the keys that spaces brought: %j', async (counted, wanted) => {
    const found = await look({}, [], undefined, undefined, { count: async () => counted });
    const told = found.filter(({ check }) => check === 'API keys of spaces');
    expect(told.map(({ ok, detail }) => [ok, detail])).toEqual(wanted);
  });

  it('fails for a database that cannot be written, and says what to do', async () => {
    const readOnly = (store: Store) => sql.raw('PRAGMA query_only = ON').execute(store);
    const [first] = await look({}, [], undefined, readOnly);
    expect(first).toMatchObject({ check: 'Database', ok: false });
    expect(first?.detail).toContain('it is read-only: make the file');
  });

  it('names the ffmpeg that there is', async () => {
    expect((await look({}, [], '5.1')).map(findingLine)).toContain(
      ' ok   Audio: ffmpeg              5.1',
    );
  });

  it('names the one command that sets most things up, where an engine can be set up by it', async () => {
    const setup = { ...engine('bergamot', ['translation'], false), detail: 'npm run setup' };
    const found = await look({ engines: [...NOTHING_ADDED, setup] });
    const translation = found.find(({ check }) => check === 'Service: translation');
    expect(translation).toMatchObject({ ok: false, isOptional: true, detail: 'npm run setup' });
  });

  it('names the engines that do each thing', async () => {
    const openai = engine('openai', ['chat', 'translation'], true);
    const found = await look({ engines: [openai, ...NOTHING_ADDED.slice(1)] });
    const of = (ability: string) => found.find(({ check }) => check === `Service: ${ability}`);
    expect(of('chat')).toMatchObject({ ok: true, detail: 'openai' });
    expect(of('translation')).toMatchObject({ ok: true, detail: 'openai' });
    expect(of('recognition')).toMatchObject({ ok: false, isOptional: true });
  });

  it('fails for an engine that is set up and does not work, beside others that do', async () => {
    const failing = { ...engine('deepl', ['translation'], false), fails: true };
    const found = await look({ engines: [engine('bergamot', ['translation'], true), failing] });
    expect(found.filter(isFailure)).toEqual([
      { check: 'Service: deepl', ok: false, detail: 'set DEEPL' },
    ]);
  });

  it('fails for a service that cannot be reached, and for what an adapter needs', async () => {
    const remote = engine('SPEECH_API_URL', ['speech'], false);
    const sick = {
      name: 'sick',
      diagnose: async function* diagnoseSick() {
        yield { check: 'Sick', ok: false, detail: 'get well' };
      },
    } as Partial<AdapterModule> as AdapterModule;
    const unreachable = { builtIn: false, reachable: false, engines: [remote] };
    const found = await look(unreachable, [sick], '5.1');
    expect(found.filter(isFailure).map(({ check }) => check)).toEqual(['Service', 'Sick']);
    const refusal = { sentence: { key: 'service.bad-key' }, remedy: undefined } as const;
    const refused = await look({ ...unreachable, reachable: true, refusal }, [], '5.1');
    expect(refused.filter(isFailure).map(({ check }) => check)).toEqual(['Service']);
    expect(verdict(found)).toBe('2 things need mending: see FAIL.');
    expect(verdict(found.slice(0, 2))).toBe('One thing needs mending: see FAIL.');
    expect(verdict(found.slice(0, 1))).toBe('Nothing is wrong.');
  });

  const chat = (name: string, ok: boolean): AdapterModule =>
    ({
      name,
      diagnose: async function* diagnoseChat(_config: never, _core: Core, isAsked: boolean) {
        yield {
          check: name,
          ok,
          isOptional: true,
          detail: isAsked ? 'the link' : 'npm run doctor',
        };
      },
    }) as Partial<AdapterModule> as AdapterModule;

  it('looks at one platform alone for who names it, and knows no other word', async () => {
    const modules = [chat('one', false), chat('two', false)];
    const found = await look({}, modules, '5.1', undefined, undefined, { only: 'two' });
    expect(found).toMatchObject([{ check: 'two', detail: 'the link' }]);
    await expect(
      look({}, modules, '5.1', undefined, undefined, { only: 'three' }),
    ).rejects.toMatchObject({ message: '"three" is no platform; there are one, two' });
  });

  it('measures the engines for who names them', async () => {
    const more = (measure: DoctorDeps['measure']) => ({ only: 'engines', measure });
    const found = await look({}, [chat('one', true)], '5.1', undefined, undefined, {
      ...more(async function* measure() {
        yield { name: 'sherpa-onnx', detail: 'm follows 6 speakers at once' };
      }),
    });
    expect(found.at(-1)).toEqual({
      check: 'Measured: sherpa-onnx',
      ok: true,
      detail: 'm follows 6 speakers at once',
    });
    expect(found.map(({ check }) => check)).not.toContain('one');
    const failing = async function* (): AsyncGenerator<never> {
      await Promise.reject(new Error('it crashed'));
    };
    const broken = await look({}, [], '5.1', undefined, undefined, more(failing));
    expect(broken.at(-1)).toMatchObject({ check: 'Measured', ok: false });
  });

  it('hints at the operators of a bot that others use, and says what the image calls its commands', async () => {
    const hints = async (ok: boolean, hasOperators: boolean) =>
      (
        await look({}, [chat('one', ok)], '5.1', undefined, undefined, {
          hasOperators,
          advise: (advice) => advice.replace('npm run', 'dragoman'),
        })
      ).filter(({ check }) => check === 'Operators' || check === 'one');
    expect(await hints(true, false)).toMatchObject([
      { detail: 'dragoman doctor' },
      { check: 'Operators', ok: false, isOptional: true },
    ]);
    expect(await hints(true, true)).toHaveLength(1);
    expect(await hints(false, false)).toHaveLength(1);
  });
});
