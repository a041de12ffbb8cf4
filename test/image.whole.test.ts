import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { serve } from './fakes/serve.ts';

const dockerfile = readFileSync('Dockerfile', 'utf8');
const [, stage = ''] = /^FROM \S+ AS program\n([^]*?)^FROM /m.exec(dockerfile) ?? [];
/** What the image copies from the tree. */
const copied = [...stage.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = '']) =>
  names.split(' '),
);
const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`;

interface Ended {
  readonly code: number;
  readonly told: string;
  readonly said: string;
}

/** Runs a program of the image to its end. */
const run = (
  file: string,
  words: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(
      file,
      words,
      { cwd: options.cwd, env: { PATH, ...options.env } },
      (error, told, said) => {
        resolve({ code: Number(error?.code ?? 0), told, said });
      },
    );
  });

describe('the image', () => {
  let app: string;
  beforeAll(() => {
    app = mkdtempSync(join(tmpdir(), 'dragoman-image-'));
    for (const name of copied)
      cpSync(name, join(app, name), {
        recursive: true,
        filter: (path) => !path.includes('node_modules'),
      });
    symlinkSync(join(import.meta.dirname, '../node_modules'), join(app, 'node_modules'));
  });

  it('starts from what it copies alone, serves the page, and ends well', async () => {
    const database = `sqlite:${join(app, 'data/dragoman.db')}`;
    const program = spawn('sh', ['scripts/dragoman.sh', 'start'], {
      cwd: app,
      env: { PATH, PORT: '0', OPS_PORT: '0', DATABASE_URL: database, DRAGOMAN_IMAGE: 'yes' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = text(program.stderr);
    const ended = once(program, 'exit');
    let told = '';
    let page: Promise<Response> | undefined;
    for await (const piece of program.stdout.setEncoding('utf8')) {
      told += String(piece);
      const url = /Dragoman on web: (\S+)/.exec(told)?.[1];
      if (url !== undefined) page ??= fetch(new URL('page/main.ts', url));
      if (/^ {2}(?:yes|no) +espeak-ng/m.test(told)) {
        expect((await page)?.status).toBe(200);
        program.kill('SIGTERM');
      }
    }
    expect([await ended, await said]).toEqual([[0, null], '']);
    expect(told).toMatch(/ apertium .* APT_PACKAGES=apertium-eng-spa$|yes +apertium/m);
    expect(told).not.toMatch(/apt-get|npm run/);
  });

  it('runs the scripts of package.json by name, and other programs as they are', async () => {
    const service = await run('sh', ['scripts/dragoman.sh', 'service', 'nonsense'], { cwd: app });
    expect(service).toEqual({
      code: 1,
      told: '',
      said: '"nonsense" is no command. Say keys, models or setup, or nothing to start the service\n',
    });
    const other = await run('sh', ['scripts/dragoman.sh', 'node', '-p', '1 + 1'], { cwd: app });
    expect(other).toMatchObject({ code: 0, told: '2\n' });
    for (const name of ['start', 'service', 'setup', 'doctor', 'db'] as const)
      expect(manifest.scripts[name]).not.toMatch(/["'$|&;]/);
  });

  it.each([
    ['db', 'dragoman db COMMAND'],
    ['db status', '"dragoman db migrate" makes its tables'],
    ['service models', 'dragoman service models list'],
    ['service keys', 'dragoman service keys list'],
    ['service keys list', '"dragoman service keys create NAME"'],
    ['setup --nonsense', 'dragoman setup [LANGUAGE ...]'],
  ])('names its own command in what "dragoman %s" says', async (words, own) => {
    const path = join(app, 'empty.db');
    writeFileSync(path, '');
    const { told, said } = await run('sh', ['scripts/dragoman.sh', ...words.split(' ')], {
      cwd: app,
      env: {
        DRAGOMAN_IMAGE: 'yes',
        DATABASE_URL: `sqlite:${path}`,
        SERVICE_DATABASE: join(app, 'keys.db'),
      },
    });
    expect(`${told}${said}`).toContain(own);
    expect(`${told}${said}`).not.toContain('npm run');
  });

  it.each([
    [
      'root',
      [
        'chown node:node /data',
        'setpriv --reuid=node --regid=node --init-groups --no-new-privs scripts/dragoman.sh start',
      ],
    ],
    ['1000', [expect.stringMatching(/^node /)]],
  ])('as %s does nothing with rights but give the volume away', async (who, steps) => {
    const fakes = mkdtempSync(join(tmpdir(), 'dragoman-path-'));
    const fake = (name: string, line: string): void =>
      writeFileSync(join(fakes, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    fake('id', `echo ${who === 'root' ? 0 : who}`);
    for (const name of ['chown', 'setpriv']) fake(name, `echo "${name} $*"`);
    // It fails, so that the script ends there.
    fake('node', 'echo "node $*" >&2; exit 1');
    const env = { PATH: `${fakes}${delimiter}${PATH}`, DRAGOMAN_IMAGE: 'true' };
    const { told, said } = await run('/bin/sh', ['scripts/dragoman.sh', 'start'], {
      cwd: app,
      env,
    });
    rmSync(fakes, { recursive: true });
    expect(`${told}${said}`.trimEnd().split('\n')).toEqual(steps);
  });

  it('is checked by a program that tells a healthy process from others', async () => {
    let status = 200;
    const server = await serve((_, response) => response.writeHead(status).end());
    const env = { OPS_PORT: String(server.port) };
    const check = (): Promise<Ended> =>
      run(process.execPath, ['scripts/check-health.mjs'], { cwd: app, env });
    expect(await check()).toMatchObject({ code: 0 });
    status = 503;
    expect(await check()).toMatchObject({ code: 1 });
    await server[Symbol.asyncDispose]();
    expect(await check()).toMatchObject({ code: 1, said: expect.stringContaining('ECONNREFUSED') });
  });

  it('is built from files that the builder is sent', () => {
    const sent = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(sent).toContain('*');
    expect(copied.length).toBeGreaterThan(5);
    for (const name of [...copied, 'package-lock.json', '.npmrc'])
      expect(sent).toContain(`!${name}`);
  });

  it('runs as a user whose number is known, and is checked', () => {
    expect(stage).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(stage).toMatch(/^HEALTHCHECK .*check-health\.mjs/m);
    expect(dockerfile).toMatch(/^FROM program\n$/m);
    expect(stage.lastIndexOf('USER')).toBeLessThan(stage.indexOf('ENTRYPOINT'));
  });
});
