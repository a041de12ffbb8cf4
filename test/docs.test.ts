import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { SOLE_ACTION, type Command, commandFault } from '../src/command/command.ts';
import { adapterFault, type AdapterModule } from '../src/adapter.ts';
import { discover } from '../src/app/modules.ts';
import { engineSection, serverSection } from '../service/config.ts';
import type { ConfigSection } from '../src/config.ts';
import { coreSection } from '../src/app/core-config.ts';
import { tracingSection } from '../src/telemetry/open-telemetry.ts';
import { opsSection } from '../src/ops/pages.ts';
import { LEFT_OUT, OPTIONAL, SCOPES } from '../adapters/slack/scopes.ts';

const adapters = await discover<AdapterModule>('adapters', adapterFault);
const SECTIONS: readonly ConfigSection[] = [
  coreSection,
  opsSection,
  tracingSection,
  ...adapters.map(({ config }) => config),
  engineSection,
  serverSection,
];

const commands = await discover<Command>('commands', commandFault);
/** Each command as it is typed, `captions start` → its options. */
const typed = new Map(
  commands.flatMap(({ name, actions }) =>
    Object.entries(actions).map(([action, { options }]): [string, readonly string[]] => [
      action === SOLE_ACTION ? name : `${name} ${action}`,
      Object.keys(options?.shape ?? {}),
    ]),
  ),
);

const variables = SECTIONS.flatMap((section) => Object.entries(section.shape));

describe('the page about the configuration', () => {
  const rows = readFileSync('docs/configuration.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  it('has each variable once, and no other', () => {
    const documented = rows.map(([, name]) => name?.replaceAll('`', ''));
    expect(new Set(documented)).toEqual(new Set(variables.map(([name]) => name)));
    expect(documented).toHaveLength(variables.length);
  });

  it.each(variables)('says of %s what the code says', (name, schema) => {
    const row = rows.find(([, cell]) => cell === `\`${name}\``);
    expect(row?.[2]).toBe(schema.description);
    const { data } = schema.safeParse(undefined);
    const isPlain = typeof data === 'string' || typeof data === 'number';
    if (isPlain || data === undefined) expect(row?.[3]).toBe(isPlain ? `\`${data}\`` : '–');
  });

  it('is followed by .env.example', () => {
    const example = readFileSync('.env.example', 'utf8');
    const named = [...example.matchAll(/^#?\s?([A-Z][A-Z_]+)=/gm)].map((match) => match[1]);
    const known = new Set(variables.map(([name]) => name));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !known.has(name ?? ''))).toEqual([]);
  });
});

describe('the documentation', () => {
  const pages = globSync('**/*.md', { exclude: ['**/node_modules', 'models', 'data'] });

  /** A page without its code, in which brackets are no links. */
  const proseOf = (page: string): string =>
    readFileSync(page, 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
  const linksIn = (text: string): string[] =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);

  it.each(pages)('%s links only to what is there', (page) => {
    const folder = page.includes('/') ? page.slice(0, page.lastIndexOf('/')) : '.';
    for (const link of linksIn(proseOf(page)))
      expect(() => readFileSync(`${folder}/${link}`), link).not.toThrow(/ENOENT/);
  });

  const headingsIn = (page: string): readonly string[] =>
    [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );

  it.each(pages)('%s links only to headings that are there', (page) => {
    const links = proseOf(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g);
    for (const [, file = '', anchor] of links)
      expect(headingsIn(file === '' ? page : join(dirname(page), file)), file).toContain(anchor);
  });

  it.each(pages)('%s has tables that can be read as plain text', (page) => {
    const rows = proseOf(page)
      .split('\n')
      .filter((line) => line.trimStart().startsWith('|'));
    const isPadded = (row: string): boolean => /\S {2,}\||\| {2,}|-{4,}\|/.test(row.trim());
    expect(rows.filter((row) => row.length > 160)).toEqual([]);
    expect(rows.filter(isPadded)).toEqual([]);
  });
});

describe('the README of each language', () => {
  const commandsIn = (page: string): string[] =>
    [...readFileSync(page, 'utf8').matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, command = '']) =>
      command.trim(),
    );
  const locales = readdirSync('locales')
    .map((file) => file.replace('.json', ''))
    .filter((locale) => locale !== 'en');
  const english = commandsIn('README.md');
  const common = commandsIn('docs/readme/README.de.md');

  it.each(locales)('%s has the same commands, and those of the English one', (locale) => {
    const shown = commandsIn(`docs/readme/README.${locale}.md`);
    expect(shown.length).toBeGreaterThan(4);
    expect(shown).toEqual(common);
    expect(english).toEqual(expect.arrayContaining(shown));
  });

  it.each(locales)('%s is linked from the English one, and links back', (locale) => {
    expect(readFileSync('README.md', 'utf8')).toContain(`(docs/readme/README.${locale}.md)`);
    expect(readFileSync(`docs/readme/README.${locale}.md`, 'utf8')).toContain('(../../README.md)');
  });

  it('runs only test files and scripts that there are', () => {
    const all = english.join('\n');
    for (const [, file = ''] of all.matchAll(/npm test -- (\S+)/g))
      expect(() => readFileSync(file), file).not.toThrow();
    const scripts = [...all.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(scripts));
  });

  it.each(['light', 'dark'])('shows a moving picture that is small and alone: %s', (theme) => {
    const picture = readFileSync(`docs/images/demo-${theme}.svg`, 'utf8');
    expect(picture.length).toBeLessThan(300_000);
    expect(picture).not.toMatch(/<script|url\(h|href="(?!#)|@import|@font-face/);
    expect(picture).toContain('prefers-reduced-motion');
  });
});

describe('the version', () => {
  it('is the newest of the changelog, and the chart’s', () => {
    const [, newest] = /^## \[([\d.]+)\]/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
    expect(newest).toBe(manifest.version);
    expect(readFileSync('deploy/helm/dragoman/Chart.yaml', 'utf8')).toContain(
      `appVersion: ${manifest.version}\n`,
    );
  });
});

describe('the page about Slack', () => {
  const page = readFileSync('docs/slack.md', 'utf8');

  it('says of each scope what it is for, as the code does', () => {
    const part = page.split('## What Dragoman needs')[1]?.split('\n##')[0] ?? '';
    const rows = [...part.matchAll(/^\| `([a-z.:]+)` +\| (.+?) +\|$/gm)];
    expect(Object.fromEntries(rows.map(([, scope, purpose]) => [scope, purpose]))).toEqual(SCOPES);
  });

  it('says of what can be left out what is lost, as the code does', () => {
    const part = page.split('### Fewer scopes')[1]?.split('\n##')[0] ?? '';
    const rows = [...part.matchAll(/^\| `([a-z-]+)` \| (.+?) \| (.+?) \|$/gm)];
    expect(rows.map(([, name, scopes, loses]) => [name, scopes, loses])).toEqual(
      LEFT_OUT.map((name) => [
        name,
        OPTIONAL[name].scopes.map((scope) => `\`${scope}\``).join(', '),
        OPTIONAL[name].loses,
      ]),
    );
  });

  it('names only variables that there are', () => {
    const named = [...page.matchAll(/`?\b([A-Z]+_[A-Z_]+)\b/g)].map(([, name]) => name);
    const known = new Set(variables.map(([name]) => name));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !known.has(name ?? ''))).toEqual([]);
  });
});

describe('what is typed', () => {
  const pages = ['discord', 'slack', 'members', 'moderators', 'faq', 'troubleshooting'];
  const written = ['README.md', ...pages.map((page) => `docs/${page}.md`)].flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/`\/([a-z][^`/]*)`/g)].map(([, line = '']) =>
      line.replaceAll(/\s+/g, ' '),
    ),
  );
  /** Slack's own command, and ours with which every line begins there. */
  const lines = written
    .filter((line) => !line.startsWith('invite '))
    .map((line) => line.replace(/^dragoman ?/, ''))
    .filter((line) => line !== '');

  it.each([...new Set(lines)])('/%s is there, with these options', (line) => {
    const [word = '', action = ''] = line.split(' ');
    const found = typed.get(`${word} ${action}`) ?? typed.get(word);
    const isGroup = commands.some(({ name }) => name === line);
    expect(found !== undefined || isGroup, 'a command').toBe(true);
    const named = [...line.matchAll(/ ([a-z-]+):/g)].map(([, option]) => option);
    expect(found ?? []).toEqual(expect.arrayContaining(named));
  });

  it('is named in the README, every command of it', () => {
    const named = new Set(lines.map((line) => line.split(' ')[0]));
    expect(commands.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
  });
});
