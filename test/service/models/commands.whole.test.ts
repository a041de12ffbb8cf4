import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runModelCommand, runModels, runSetup } from '../../../service/models/commands.ts';
import { engineConfig } from '../support.ts';
import { openModelsScene } from './scene.ts';
import { fresh } from '../../fakes/opened.ts';

const scene = fresh(() => openModelsScene());

describe('models remove', () => {
  it('removes what is installed, and nothing else', async () => {
    await scene.add('ears');
    await runModels(['remove', 'ears'], scene.deps);
    expect(scene.installed()).toEqual([]);
    for (const name of ['ears', '..', '../home', '.downloads', ''])
      await expect(runModels(['remove', name], scene.deps)).rejects.toThrow(/is not installed/);
  });
});

describe('models list', () => {
  it('shows what is installed and what could be', async () => {
    await scene.add('ears');
    scene.lines = [];
    await runModels(['list'], scene.deps);
    expect(scene.lines[0]).toBe(`Installed in ${scene.root}:`);
    expect(scene.lines[1]).toMatch(
      /^ {2}ears +recognition, nemo-ctc +\S+ MB +MIT +English, Spanish +ready, follows \d+ speakers at once, \d+ MB of memory$/,
    );
    expect(scene.lines.join('\n')).toMatch(/ {2}mouth +speech +\S+ MB +MIT +English/);
    expect(scene.lines.join('\n')).toMatch(/bergamot-en-es +translation .*en to es/);
    expect(scene.lines.at(-1)).toMatch(/^The catalogue has no voice for Spanish: eSpeak NG speaks/);
  });

  it('shows what each installed model is, and why one is of no use', async () => {
    await scene.add('mouth', 'bergamot-en-es');
    mkdirSync(join(scene.root, 'faster'));
    for (const file of ['model.bin', 'config.json', 'vocabulary.txt'])
      writeFileSync(join(scene.root, 'faster', file), 'x');
    scene.lines = [];
    await runModels(['list'], scene.deps);
    expect(scene.lines.slice(1, 4)).toEqual([
      expect.stringMatching(
        /bergamot-en-es +translation +\S+ MB +MIT +en to es +ready, \d+ words a second, .*$/,
      ),
      expect.stringMatching(/faster +not usable +0\.0 MB +.*CTranslate2.*SERVICE_OPENAI_URL/),
      expect.stringMatching(/mouth +speech, 1 voice +\S+ MB +MIT +\S+ +ready, speaks at .*$/),
    ]);
  });

  it.each([[['frobnicate']], [['add']], [['remove']], [[]]])(
    'explains itself for %j',
    async (words) => {
      await expect(runModels(words, scene.deps)).rejects.toThrow('npm run service -- models list');
    },
  );
});

describe('setup', () => {
  it('asks for languages, shows sizes and licences, and installs', async () => {
    scene.answers = ['en, es', ''];
    await runSetup([], scene.deps);
    expect(scene.installed()).toEqual(['bergamot-en-es', 'ears', 'mouth']);
    const text = scene.lines.join('\n');
    expect(text).toContain('The catalogue has no voice for es.');
    expect(text).toContain('The catalogue has no translation from es.');
    expect(text).toMatch(/ {2}ears +recognition +\S+ MB +\S+ MB +MIT +English, Spanish/);
    expect(text).toMatch(/Download \S+ MB\? \[Y\/n\]/);
    expect(scene.lines.at(-1)).toContain('npm start');
  });

  it('installs nothing for a no', async () => {
    scene.answers = ['en', 'no'];
    await runSetup([], scene.deps);
    expect(existsSync(scene.root)).toBe(false);
    expect(scene.lines.at(-1)).toBe('Nothing was installed.');
  });

  it('says before it asks what the machine has too little of', async () => {
    scene.catalogue[0]!.memoryBytes = 1e15;
    scene.catalogue[1]!.files[0]!.bytes = 1e15;
    scene.saveCatalogue();
    const setup = runSetup(['en', '--best'], scene.deps);
    await expect(setup).rejects.toThrow(/is full: \d+ GB more are needed/);
    expect(scene.lines.at(-1)).toBe('More memory than this machine has: ears, mouth.');
    expect(existsSync(scene.root)).toBe(false);
  });

  it('asks nothing when it is told everything, and has nothing to do the second time', async () => {
    scene.deps = { ...scene.deps, ask: undefined };
    await runSetup(['en', 'es', '--yes'], scene.deps);
    scene.lines = [];
    await runSetup(['English', 'es', '--yes'], scene.deps);
    expect(scene.lines.at(-1)).toBe('Everything for these languages is installed.');
  });

  it.each([
    [['en'], 'nobody can be asked'],
    [[], 'nobody can be asked'],
    [['xyzzy', '--yes'], '"xyzzy" is no language'],
    [['en', '--fast'], '"--fast" is no option'],
  ])('with %j says what is missing', async (words, problem) => {
    await expect(runSetup(words, { ...scene.deps, ask: undefined })).rejects.toThrow(problem);
  });
});

it('tells what it takes', async () => {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  await runModelCommand(['setup', '--help'], engineConfig({}), new Promise(() => {}), print);
  expect(lines.join()).toMatch(/^npm run setup \[LANGUAGE \.\.\.\]/);
});
