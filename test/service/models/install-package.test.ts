import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { installPackage } from '../../../service/models/install-package.ts';
import { installedPackage, llamaPackage } from '../../../service/models/packages.ts';
import { openModelsScene } from './scene.ts';
import { fresh } from '../../fakes/opened.ts';

const install = (changes = {}): Promise<string> =>
  installPackage(
    { ...scene.deps.llama, ...changes },
    { ...scene.deps, onProgress: (progress) => shown.push(progress.doneBytes) },
  );
let shown: number[];

const scene = fresh(() => openModelsScene());
beforeEach(async () => {
  shown = [];
  await mkdir(scene.root);
});

describe('a package with native parts', () => {
  it('is installed with what it needs, and with the binary of this machine alone', async () => {
    expect(await installedPackage(scene.root, scene.deps.llama)).toBeUndefined();
    await install();
    const folder = (await installedPackage(scene.root, scene.deps.llama)) ?? '';
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      name: 'tiny-llama',
    });
    expect(existsSync(join(folder, 'node_modules/needed/package.json'))).toBe(true);
    expect(readdirSync(join(folder, '../@tiny'))).toEqual(['for-here']);
    expect(readdirSync(scene.root).toSorted()).toEqual(['.downloads', '.packages']);
    expect(readdirSync(join(scene.root, '.downloads'))).toEqual([]);
    expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  });

  it('is fetched once', async () => {
    await install();
    const before = scene.mirror.requests.length;
    await install();
    expect(scene.mirror.requests).toHaveLength(before);
  });

  it('is refused whole where one part has another checksum, and taken up where it ended', async () => {
    const path = '/needed/-/needed-1.0.0.tgz';
    const right = await (await fetch(`${scene.mirror.url}${path}`)).bytes();
    scene.mirror.serve(path, Buffer.from('something else'));
    await expect(install()).rejects.toThrow(/needed-1\.0\.0\.tgz: the checksum is wrong/);
    expect(await installedPackage(scene.root, scene.deps.llama)).toBeUndefined();
    expect(readdirSync(scene.root)).toEqual(['.downloads']);
    scene.mirror.serve(path, right);
    await install();
    expect(await installedPackage(scene.root, scene.deps.llama)).toBeDefined();
    expect(scene.mirror.requests).toContainEqual(
      expect.stringMatching(/^\/tiny-llama\/-\/tiny-llama-1\.0\.0\.tgz bytes=/),
    );
  });

  it('is told not to run where it has no binary', async () => {
    await expect(install({ binary: undefined })).rejects.toThrow(
      /Language models cannot run here: tiny-llama has no binary.*SERVICE_OPENAI_URL/,
    );
  });

  it('has in its lock file a checksum for each part, and no binary for graphics cards', async () => {
    const { lock, name } = llamaPackage();
    const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as {
      packages: Record<string, { integrity?: string; optional?: boolean }>;
    };
    expect(packages[`node_modules/${name}`]).toBeDefined();
    for (const [path, { integrity }] of Object.entries(packages))
      if (path !== '') expect(integrity).toMatch(/^sha512-/);
    const required = Object.entries(packages).filter(([, { optional }]) => optional !== true);
    expect(required.map(([path]) => path).join(' ')).not.toMatch(/cuda|vulkan/);
  });
});
