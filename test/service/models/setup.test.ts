import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FIREFOX_REGISTRY } from '../../../service/models/firefox-registry.ts';
import type { ModelSize } from '../../../src/model/local-models.ts';
import { bytesOf } from '../../../service/models/catalogue.ts';
import { installPackage } from '../../../service/models/install-package.ts';
import type { NativePackage } from '../../../service/models/packages.ts';
import {
  createModelSetup,
  type SetupEvent,
  type SetupPlan,
} from '../../../service/models/setup.ts';
import { model, openModelsScene } from './scene.ts';
import { fresh } from '../../fakes/opened.ts';

let events: SetupEvent[];
let notes: string[];
const { signal } = new AbortController();
const note = (text: string): void => void notes.push(text);

const scene = fresh(() => openModelsScene());
beforeEach(async () => {
  events = [];
  notes = [];
});

describe('the set-up of models', () => {
  it('plans what is not there yet, with the machine, the size and the gaps', async () => {
    const setup = createModelSetup(scene.deps);
    const plan = await setup.plan(['en', 'es'], 'best', signal);
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
    const { models } = await setup.plan(['en'], 'best', signal);
    expect(models.map(({ name }) => name)).toEqual(['mouth']);
  });

  it('tells the room that the disk lacks, and fetches nothing then', async () => {
    const setup = createModelSetup(scene.deps);
    expect((await setup.plan(['en'], 'best', signal)).lackingBytes).toBe(0);
    const [ears, mouth] = scene.catalogue;
    ears!.files[0]!.bytes = 1e15;
    scene.saveCatalogue();
    const { machine, lackingBytes } = await setup.plan(['en'], 'best', signal);
    // The download and what is unpacked from it, and the other model.
    const neededBytes = 2e15 + bytesOf(mouth!);
    expect(lackingBytes + machine.freeBytes).toBe(neededBytes);
    const done = setup.install(
      ['mouth', 'ears'],
      scene.catalogue,
      (event) => events.push(event),
      signal,
    );
    await expect(done).rejects.toThrow(/is full: \d{7} GB more are needed/);
    expect([events, scene.mirror.requests]).toEqual([[], []]);
    mkdirSync(join(scene.root, 'ears'));
    expect((await setup.plan(['en'], 'best', signal)).lackingBytes).toBe(0);
  });

  it('counts what was fetched before as room that is not needed', async () => {
    const setup = createModelSetup(scene.deps);
    const ears = scene.catalogue[0]!;
    const needed = async (): Promise<number> => {
      const { machine, lackingBytes } = await setup.plan(['en'], 'best', signal);
      return lackingBytes + machine.freeBytes;
    };
    scene.mirror.serve(
      '/ears.tar.gz',
      scene.archives.recogniser,
      { cutAfter: 900 },
      { status: 404 },
    );
    await setup.install(['ears'], scene.catalogue, (event) => events.push(event), signal);
    ears.files[0]!.bytes = 1e15;
    scene.saveCatalogue();
    const beside = await needed();
    rmSync(join(scene.root, '.downloads'), { recursive: true });
    expect((await needed()) - beside).toBe(900);
  });

  it('ends at a model that fills the disk', async () => {
    const url = scene.mirror.serve('/big.tar.gz', scene.archives.recogniser, { announced: 1e15 });
    const setup = createModelSetup({ ...scene.deps, mirror: undefined });
    const done = setup.install(
      [url, 'mouth'],
      scene.catalogue,
      (event) => events.push(event),
      signal,
    );
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
      scene.catalogue,
      ({ kind }) => kind === 'progress' && controller.abort(new Error('stopped')),
      controller.signal,
    );
    await expect(stopped).rejects.toThrow('stopped');
    const again = setup.install(['ears'], scene.catalogue, (event) => events.push(event), signal);
    expect(await again).toBe(1);
    expect(scene.mirror.requests.at(-1)).toContain('bytes=');
  });

  it('counts the package of the first language model, which is left out where it cannot run', async () => {
    const file = { url: 'https://models.invalid/talk.gguf', bytes: 500 };
    scene.catalogue.push(model('talk', 'chat', ['en'], file));
    scene.saveCatalogue();
    const planFor = (llama: NativePackage) =>
      createModelSetup({ ...scene.deps, llama }).plan(['en'], 'best', signal);
    const { llama, root } = scene.deps;
    const sizeOf = ({ models }: SetupPlan): number =>
      models.reduce((sum, one) => sum + bytesOf(one), 0);
    const first = await planFor(llama);
    expect(first.models.at(-1)?.name).toBe('talk');
    expect(first.downloadBytes).toBe(sizeOf(first) + llama.bytes);
    mkdirSync(root);
    await installPackage(llama, { ...scene.deps, onProgress: () => {} });
    const second = await planFor(llama);
    expect(second.downloadBytes).toBe(sizeOf(second));
    const without = await planFor({ ...llama, binary: undefined });
    expect(without.models.map(({ name }) => name)).toEqual(['ears', 'mouth']);
  });

  describe('with Firefox’s registry', () => {
    const records = (architecture: string, size: number) =>
      ['model', 'lex', 'vocab'].map((fileType) => ({
        architecture,
        attachment: {
          filename: `${fileType}.enxx.zst`,
          hash: 'a'.repeat(64),
          location: `main/${architecture}/${fileType}.zst`,
          size,
        },
        fileType,
        sourceLanguage: 'en',
        targetLanguage: 'xx',
        version: '3.0',
      }));
    const serveRecords = (...data: readonly object[]): string =>
      scene.mirror.serve(
        new URL(FIREFOX_REGISTRY).pathname,
        Buffer.from(JSON.stringify({ data: data.flat() })),
      );

    it('uses its models, or tells that it cannot be read', async () => {
      const setup = createModelSetup({ ...scene.deps, catalogueFile: undefined });
      const plan = await setup.plan(['en'], 'small', signal);
      expect(plan.notes.join()).toContain('registry of models cannot be read');
      const listed = await setup.catalogue(signal, note);
      expect(notes.join()).toContain('registry of models cannot be read');
      serveRecords(records('base-memory', 1_000));
      const current = await setup.catalogue(signal, note);
      expect(current.map(({ name }) => name)).toEqual([
        ...listed.map(({ name }) => name),
        'bergamot-en-xx',
      ]);
      expect(notes).toHaveLength(1);
    });

    it('has the size that is asked for each time, and what the registry has by then', async () => {
      const setup = createModelSetup({ ...scene.deps, catalogueFile: undefined });
      const bytes = async (size: ModelSize): Promise<number> =>
        bytesOf((await setup.catalogue(signal, note, size)).at(-1)!);
      serveRecords(records('base', 1_000), records('tiny', 10));
      expect(await bytes('small')).toBe(30);
      expect(await bytes('fitting')).toBe(3_000);
      serveRecords(records('base', 2_000), records('tiny', 10));
      expect(await bytes('fitting')).toBe(6_000);
    });

    it('asks nothing of it for models that it does not have', async () => {
      const setup = createModelSetup({ ...scene.deps, catalogueFile: undefined });
      await setup.catalogueFor(['parakeet-v3', './folder'], signal, note);
      expect(scene.mirror.requests).toEqual([]);
      await setup.catalogueFor(['bergamot-en-xx'], signal, note);
      expect(scene.mirror.requests).toHaveLength(1);
    });
  });
});
