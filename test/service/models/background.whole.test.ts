import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createModels } from '../../../service/models/background.ts';
import { imageAdvice } from '../../../src/process/program.ts';
import { eventually } from '../../fakes/eventually.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { openModelsScene } from './scene.ts';
import { fresh } from '../../fakes/opened.ts';

const { signal } = new AbortController();

let models: ReturnType<typeof createModels>;
const scene = fresh(() => openModelsScene());
beforeEach(async () => {
  models = createModels(scene.deps, silentLog);
});
afterEach(async () => {
  await models[Symbol.asyncDispose]();
});

const installation = async () => (await models.view()).installation;
const ended = async (): Promise<void> =>
  eventually(async () => expect((await installation())?.state).not.toBe('running'));

describe('models that a page installs', () => {
  it('are chosen for languages, with what nothing does', async () => {
    const { models: offered, gaps } = await models.plan(['en', 'es'], 'best', signal);
    expect(offered.map(({ name, ability }) => [name, ability])).toEqual([
      ['ears', 'recognition'],
      ['mouth', 'speech'],
      ['bergamot-en-es', 'translation'],
    ]);
    expect(gaps).toContainEqual({ need: 'speech', language: 'es' });
  });

  it('are installed in the background, and are told with their languages and size', async () => {
    await models.install(['ears', 'mouth'], 'fitting');
    await expect(models.install(['mouth'], 'fitting')).rejects.toMatchObject({ code: 'bad-input' });
    await ended();
    expect(await installation()).toMatchObject({ state: 'done', ended: ['ears', 'mouth'] });
    const { installed, freeBytes } = await models.view();
    expect(freeBytes).toBeGreaterThan(0);
    expect(installed).toMatchObject([
      { name: 'ears', ability: 'recognition', languages: ['en', 'es'], licence: 'MIT' },
      { name: 'mouth', ability: 'speech', languages: ['en'] },
    ]);
    for (const { bytes } of installed) expect(bytes).toBeGreaterThan(1_000);
  });

  it.each(['https://models.invalid/ears.tar.gz', '../ears', '/etc', 'no-such'])(
    'are no others than those of the catalogue: %s',
    async (name) => {
      await expect(models.install([name], 'fitting')).rejects.toMatchObject({ code: 'bad-input' });
      expect(scene.mirror.requests).toEqual([]);
    },
  );

  it('go on, where they were stopped, with the same names', async () => {
    const { recogniser } = scene.archives;
    scene.mirror.serve('/ears.tar.gz', recogniser, { silentAfter: 1_000 }, {});
    await models.install(['ears'], 'fitting');
    await eventually(async () => expect((await installation())?.doneBytes).toBeGreaterThan(0));
    models.stop();
    await ended();
    expect(await installation()).toMatchObject({ state: 'stopped', ended: [] });
    await models.install(['ears'], 'fitting');
    await ended();
    expect(await installation()).toMatchObject({ state: 'done', ended: ['ears'] });
    expect(scene.mirror.requests.at(-1)).toMatch(/bytes=\d+-/);
  });

  it('go on after a stop where the registry cannot be read', async () => {
    await models[Symbol.asyncDispose]();
    models = createModels({ ...scene.deps, catalogueFile: undefined }, silentLog);
    models.stop();
    await models.install(['bergamot-en-es'], 'fitting');
    await ended();
    expect(await installation()).toMatchObject({ failures: [{ name: 'bergamot-en-es' }] });
  });

  it('are told with the notes that the command prints', async () => {
    await models[Symbol.asyncDispose]();
    models = createModels({ ...scene.deps, catalogueFile: undefined }, silentLog);
    const { notes } = await models.plan(['en', 'es'], 'small', signal);
    expect(notes.join()).toContain('registry of models cannot be read');
    await models.install(['bergamot-en-es'], 'fitting');
    await ended();
    expect((await installation())?.notes).toEqual(notes);
  });

  it('are not installed without room for all of them, which the plan tells', async () => {
    scene.catalogue[1]!.files[0]!.bytes = 1e15;
    scene.saveCatalogue();
    const plan = await models.plan(['en'], 'best', signal);
    expect(plan.lackingBytes).toBeGreaterThan(1e14);
    expect(plan.machine.memoryBytes).toBeGreaterThan(1e8);
    await models.install(['ears', 'mouth'], 'best');
    await ended();
    expect(await installation()).toMatchObject({
      state: 'failed',
      ended: [],
      reason: expect.stringMatching(/is full: \d+ GB more are needed/),
    });
  });

  it('are not removed while others are installed', async () => {
    await models.install(['mouth'], 'fitting');
    await ended();
    scene.mirror.serve('/ears.tar.gz', scene.archives.recogniser, { silentAfter: 1_000 });
    await models.install(['ears'], 'fitting');
    await eventually(async () => expect((await installation())?.doneBytes).toBeGreaterThan(0));
    await expect(models.remove('mouth')).rejects.toMatchObject({ code: 'unavailable' });
    expect((await models.view()).installed.map(({ name }) => name)).toEqual(['mouth']);
  });

  it('are told with the reason where one fails, and the others are installed', async () => {
    scene.mirror.serve('/ears.tar.gz', Buffer.from('something else'));
    await models.install(['ears', 'mouth'], 'fitting');
    await ended();
    expect(await installation()).toMatchObject({
      state: 'failed',
      ended: ['mouth'],
      failures: [{ name: 'ears', reason: expect.any(String) }],
    });
  });

  it('are told in the commands of the image that the program runs in', async () => {
    await models[Symbol.asyncDispose]();
    models = createModels(scene.deps, silentLog, imageAdvice);
    scene.mirror.serve('/ears.tar.gz', Buffer.alloc(0), { status: 404 });
    mkdirSync(join(scene.root, 'faster'), { recursive: true });
    for (const file of ['model.bin', 'config.json', 'vocabulary.txt'])
      writeFileSync(join(scene.root, 'faster', file), 'x');
    await models.install(['ears'], 'fitting');
    await ended();
    const { installed } = await models.view();
    const told = [(await installation())?.failures[0]?.reason, installed[0]?.fault];
    for (const words of told) {
      expect(words).toContain('dragoman service models');
      expect(words).not.toContain('npm run');
    }
  });

  it('are told with what keeps them from being used, and removed', async () => {
    await models.install(['ears'], 'fitting');
    await ended();
    writeFileSync(join(scene.root, 'ears', 'tokens.txt'), '');
    await models.install(['mouth'], 'fitting');
    await ended();
    const [ears] = (await models.view()).installed;
    expect(ears).toMatchObject({ ability: undefined, fault: expect.stringMatching(/tokens\.txt/) });
    await models.remove('ears');
    expect((await models.view()).installed.map(({ name }) => name)).toEqual(['mouth']);
  });
});
