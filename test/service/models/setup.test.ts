import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIREFOX_REGISTRY } from '../../../service/models/firefox-registry.ts';
import { createModelSetup, type SetupEvent } from '../../../service/models/setup.ts';
import { openModelsScene, type ModelsScene } from './scene.ts';

let scene: ModelsScene;
let events: SetupEvent[];
let notes: string[];
const { signal } = new AbortController();
const note = (text: string): void => void notes.push(text);

beforeEach(async () => {
  scene = await openModelsScene();
  events = [];
  notes = [];
});
afterEach(() => scene[Symbol.asyncDispose]());

describe('the set-up of models', () => {
  it('plans what is not there yet, with the machine, the size and the gaps', async () => {
    const setup = createModelSetup(scene.deps);
    const plan = await setup.plan(['en', 'es'], 'best', signal, note);
    expect(plan.models.map(({ name }) => name)).toEqual(['ears', 'mouth', 'bergamot-en-es']);
    expect(plan.downloadBytes).toBe(
      scene.catalogue.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0),
    );
    expect(plan.gaps).toEqual([
      { need: 'speech', language: 'es' },
      { need: 'translation-from', language: 'es' },
    ]);
    expect(plan.machine.cores).toBeGreaterThan(0);
    mkdirSync(join(scene.root, 'ears'), { recursive: true });
    const { models } = await setup.plan(['en'], 'best', signal, note);
    expect(models.map(({ name }) => name)).toEqual(['mouth']);
  });

  it('refuses a plan for which the disk has no room, before anything is fetched', async () => {
    const setup = createModelSetup(scene.deps);
    const plan = await setup.plan(['en'], 'best', signal, note);
    const full = { ...plan, machine: { ...plan.machine, freeBytes: 10 } };
    expect(() => setup.demandRoom(full)).toThrow(/is full: .* more are needed/);
    expect(() => setup.demandRoom(plan)).not.toThrow();
  });

  it('ends at a model that fills the disk', async () => {
    const ears = scene.catalogue[0]!;
    ears.files[0]!.bytes = 1e15;
    scene.saveCatalogue();
    scene.mirror.serve('/ears.tar.gz', scene.archives.recogniser, { announced: 1e15 });
    const setup = createModelSetup(scene.deps);
    const done = setup.install(['ears', 'mouth'], (event) => events.push(event), signal);
    await expect(done).rejects.toMatchObject({ code: 'too-large' });
    expect(events.map(({ kind }) => kind)).toEqual(['began']);
  });

  it('can be cancelled, and goes on where it was', async () => {
    const controller = new AbortController();
    scene.mirror.serve(
      '/ears.tar.gz',
      scene.archives.recogniser,
      { silentAfter: 900 },
      { status: 404 },
    );
    const setup = createModelSetup(scene.deps);
    const stopped = setup.install(
      ['ears'],
      ({ kind }) => kind === 'progress' && controller.abort(new Error('stopped')),
      controller.signal,
    );
    await expect(stopped).rejects.toThrow('stopped');
    const again = setup.install(['ears'], (event) => events.push(event), signal);
    expect(await again).toBe(1);
    expect(scene.mirror.requests.at(-1)).toContain('bytes=');
  });

  it('uses the models of Firefox’s registry, or tells that it cannot be read', async () => {
    const { pathname } = new URL(FIREFOX_REGISTRY);
    const offline = createModelSetup({ ...scene.deps, catalogueFile: undefined });
    const listed = await offline.catalogue(signal, note);
    expect(notes.join()).toContain('registry of models cannot be read');
    const data = ['model', 'lex', 'vocab'].map((fileType) => ({
      architecture: 'base-memory',
      attachment: {
        filename: `${fileType}.enxx.zst`,
        hash: 'a'.repeat(64),
        location: `main/${fileType}.zst`,
        size: 1_000,
      },
      fileType,
      sourceLanguage: 'en',
      targetLanguage: 'xx',
      version: '3.0',
    }));
    scene.mirror.serve(pathname, Buffer.from(JSON.stringify({ data })));
    const current = await offline.catalogue(signal, note);
    expect(current.map(({ name }) => name)).toEqual([
      ...listed.map(({ name }) => name),
      'bergamot-en-xx',
    ]);
    expect(notes).toHaveLength(1);
  });
});
