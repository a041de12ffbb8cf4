import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATHS, type Voice } from '../../../src/api/contract.ts';
import { eventually } from '../../fakes/eventually.ts';
import { entriesOf, makeTar } from '../../fakes/models/archive.ts';
import { startMirror, type Mirror } from '../../fakes/models/mirror.ts';
import { startProxy } from '../../fakes/models/proxy.ts';
import { runService, writeTinyCatalogue } from '../../fakes/models/tiny-catalogue.ts';
import { BARE_ENVIRONMENT, wordsOf } from '../../fakes/program.ts';
import { startTestService, type TestService } from '../support.ts';

let home: string;
let mirror: Mirror;
let service: TestService;
let environment: Record<string, string>;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'dragoman-setup-'));
  mirror = await startMirror();
  environment = await writeTinyCatalogue(home, mirror);
  service = await startTestService({ SERVICE_MODELS: join(home, 'models') });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await mirror[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

describe('npm run setup', () => {
  it('is one command from nothing to speech, recognition and translation in a running service', async () => {
    const fields = { text: 'hello world', source_lang: 'en', target_lang: 'es' };
    expect((await service.translate(fields)).status).toBe(404);

    const output = await runService(environment, 'setup', 'en', 'es', '--yes');
    for (const name of ['tiny-recogniser', 'tiny-voice', 'bergamot-en-es', 'bergamot-es-en'])
      expect(output).toContain(`${name} is installed`);

    const translated = (await (await service.translate(fields)).json()) as {
      choices: { message: { content: string } }[];
      model: string;
    };
    expect(translated).toMatchObject({
      model: 'bergamot-en-es',
      choices: [{ message: { content: 'hola mundo' } }],
    });

    const listed = await service.request(PATHS.voices);
    const { voices } = (await listed.json()) as { voices: Voice[] };
    const voice = voices.find(({ language }) => language === 'Spanish');
    // Before the voices of eSpeak NG.
    expect(voices[0]).toEqual(voice);
    const spoken = await service.postJson(PATHS.tts, {
      voice_id: voice!.id,
      text: 'hola mundo',
      format: 'wav',
      sample_rate: 16_000,
    });
    expect(spoken.status).toBe(200);

    const audio = Buffer.from(await spoken.arrayBuffer()).toString('base64');
    const heard = await service.postJson(PATHS.asr, { audio, language: 'es' });
    expect(await heard.json()).toMatchObject({ text: 'holamundo', language: 'es' });
  });

  it('without a network ends at the first host, and says how a folder is given', async () => {
    const gone = await startMirror();
    const folder = mkdtempSync(join(home, 'offline-'));
    const offline = await writeTinyCatalogue(folder, gone);
    await gone[Symbol.asyncDispose]();
    const failed = runService(offline, 'setup', 'en', 'es', '--yes').catch(
      (error: unknown) => error,
    );
    expect(await failed).toMatchObject({
      code: 1,
      stdout: expect.not.stringContaining('not installed'),
      stderr: expect.stringMatching(/cannot be reached.*npm run service -- models add FOLDER/),
    });
  });

  it('goes through the proxy of the environment, but for the hosts that need none, and says in words what went wrong', async () => {
    const proxy = await startProxy(mirror);
    const folder = mkdtempSync(join(home, 'proxied-'));
    const proxied = {
      ...environment,
      SERVICE_MODELS: join(folder, 'models'),
      SERVICE_MODELS_MIRROR: 'http://models.invalid',
      HTTP_PROXY: proxy.url,
    };
    const added = runService(proxied, 'models', 'add', 'tiny-recogniser', 'nothing-like-it');
    await expect(added).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /tiny-recogniser is installed[^]*nothing-like-it is no model of the catalogue/,
      ),
      stderr: expect.stringContaining('1 of 2 models were not installed.\n'),
    });
    expect(proxy.hosts.at(-1)).toBe('models.invalid');
    const direct = runService(
      { ...proxied, NO_PROXY: 'models.invalid' },
      'models',
      'add',
      'tiny-voice',
    );
    await expect(direct).rejects.toMatchObject({ code: 1 });
    expect(proxy.hosts).toHaveLength(1);
    await proxy[Symbol.asyncDispose]();
  });

  it('needs no network with a folder that has the files', async () => {
    const folder = mkdtempSync(join(home, 'folder-'));
    mirror.save(folder);
    const offline = {
      ...environment,
      SERVICE_MODELS: join(folder, 'models'),
      SERVICE_MODELS_MIRROR: folder,
    };
    expect(await runService(offline, 'setup', 'en', 'es', '--yes')).toContain(
      'bergamot-es-en is installed',
    );
  });

  /** Starts a command that installs `source`, a pipe, and gives it the first half of an archive. */
  const installFromPipe = async (source: string, archive: Buffer) => {
    rmSync(source, { force: true });
    execFileSync('mkfifo', [source]);
    const running = spawn(process.execPath, wordsOf('service/main.ts', 'models', 'add', source), {
      env: { ...BARE_ENVIRONMENT, ...environment },
      stdio: 'ignore',
    });
    const pipe = await open(source, 'w');
    await pipe.write(archive.subarray(0, archive.length / 2));
    const root = environment['SERVICE_MODELS'] ?? '';
    const staged = (): readonly string[] =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) =>
        /^\.staging-.*\.onnx$/.test(path),
      );
    await eventually(() => expect(staged()).toHaveLength(1));
    return { running, pipe, root };
  };

  it('leaves nothing after it was killed while it unpacked, and installs the whole model the next time', async () => {
    const archive = await makeTar(entriesOf(join(home, 'recogniser'), 'recogniser'));
    const source = join(home, 'killed.tar');
    const { running, pipe, root } = await installFromPipe(source, archive);
    running.kill('SIGKILL');
    await once(running, 'exit');
    await pipe.close();
    expect(readdirSync(root)).not.toContain('killed');
    rmSync(source);
    writeFileSync(source, archive);
    expect(await runService(environment, 'models', 'add', source)).toContain('killed is installed');
    expect(readdirSync(root).filter((name) => name.startsWith('.staging-'))).toEqual([]);
    for (const { name, content } of entriesOf(join(home, 'recogniser'), 'killed'))
      expect(readFileSync(join(root, name)).equals(content as Buffer), name).toBe(true);
  });

  it('runs once at a time: a second one says so, and the first goes on', async () => {
    const archive = await makeTar(entriesOf(join(home, 'recogniser'), 'recogniser'));
    const { running, pipe, root } = await installFromPipe(join(home, 'first.tar'), archive);
    const second = runService(environment, 'models', 'add', join(home, 'voice'));
    await expect(second).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another command, or the page, is changing'),
    });
    await pipe.write(archive.subarray(archive.length / 2));
    await pipe.close();
    expect(await once(running, 'exit')).toEqual([0, null]);
    expect(readdirSync(root)).toContain('first');
    expect(readdirSync(root)).not.toContain('voice');
  });
});
