import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';

import { SOLE_ACTION, type Command, commandFault } from '../src/command/command.ts';
import { actionsOf } from '../src/command/catalogue.ts';
import { discover } from '../src/app/modules.ts';
import type { MessageKey } from '../src/errors.ts';
import { realTexts as texts } from './fakes/texts.ts';

interface SourceFile {
  /** Seen from the root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** The keys that a command's texts and names stand under. */
const keysOf = (command: Command): readonly string[] => {
  const base = (name: string): string => `commands.${name.replace(' ', '.')}`;
  const keys = actionsOf(command).flatMap(({ name, action }) => [
    `${base(name)}.name`,
    `${base(name)}.summary`,
    ...(name === command.name ? [] : [`${base(command.name)}.summary`]),
    ...(action.onMessage ? [`${base(name)}.menu`] : []),
    ...Object.keys(action.options?.shape ?? {}).flatMap((option) => [
      `${base(name)}.options.${option}`,
      `options.names.${option}`,
    ]),
  ]);
  return [`${base(command.name)}.name`, ...keys];
};

const filesIn = (folder: string): readonly SourceFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => ({
      path: join(folder, path).split(sep).join('/'),
      text: readFileSync(join(folder, path), 'utf8'),
    }));

const SOURCES = ['src', 'commands', 'adapters', 'service'].flatMap(filesIn);

describe('the commands’ folder', () => {
  it('holds one command a file, named as the file, and its parts in a folder of that name', async () => {
    const commands = await discover<Command>('commands', commandFault);
    const files = readdirSync('commands').map((file) => file.replace('.ts', ''));
    expect(commands.map(({ name }) => name)).toEqual([...new Set(files)].toSorted());
  });

  it.each([
    ['has no command', 'export default 7;', 'no command'],
    ['has no action', "export default { name: 'wrong', actions: { '': null } };", 'actions'],
    ['does nothing', "export default { name: 'wrong', actions: { '': {} } };", 'run'],
    [
      'has no schema',
      "export default { name: 'wrong', actions: { '': { run() {}, options: { a: 1 } } } };",
      'options',
    ],
    [
      'has a control without a deed',
      "export default { name: 'wrong', actions: { '': { run() {} } }, presses: { go: {} } };",
      'presses',
    ],
    [
      'needs what no platform has',
      "export default { name: 'wrong', actions: { '': { run() {} } }, needs: 'luck' };",
      'needs',
    ],
    [
      'has another name',
      "export default { name: 'right', actions: { '': { run() {} } } };",
      'named right',
    ],
    ['is no script', 'export default <not> script', 'cannot be loaded'],
  ])('names the one file that %s', async (_, wrong, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-commands-'));
    writeFileSync(
      join(folder, 'good.ts'),
      "export default { name: 'good', actions: { '': { run() {} } } };",
    );
    writeFileSync(join(folder, 'wrong.ts'), wrong);
    const load = discover<Command>(folder, commandFault);
    await expect(load).rejects.toThrow('wrong.ts');
    await expect(load).rejects.toThrow(expected);
  });
});

describe('the locales', () => {
  const keysIn = (locale: string): string[] =>
    Object.keys(JSON.parse(readFileSync(`locales/${locale}.json`, 'utf8')) as object).toSorted();

  it.each(texts.locales)('%s has every sentence, and no other', (locale) => {
    expect(keysIn(locale)).toEqual(keysIn('en'));
  });

  it.each(texts.locales)('%s has only sentences that can be said', (locale) => {
    const sentences = JSON.parse(readFileSync(`locales/${locale}.json`, 'utf8')) as Record<
      string,
      string
    >;
    for (const [key, text] of Object.entries(sentences)) {
      expect(
        () => new IntlMessageFormat(text, locale, undefined, { ignoreTag: true }),
        key,
      ).not.toThrow();
      // Beside a letter, an underscore is no markup: people would see it.
      expect(text.replaceAll(/`[^`]*`/g, ''), key).not.toMatch(/\p{L}_[^_]+_|_[^_]+_\p{L}/u);
    }
  });

  it.each(texts.locales)('%s has the placeholders of English', (locale) => {
    const placeholders = (text: string): string[] =>
      [
        ...new Set([...text.matchAll(/\{\s*(\w+)\s*[,}]/g)].map((match) => match[1] ?? '')),
      ].toSorted();
    const [own, english] = [locale, 'en'].map(
      (name) => JSON.parse(readFileSync(`locales/${name}.json`, 'utf8')) as Record<string, string>,
    );
    for (const [key, text] of Object.entries(english ?? {}))
      expect(placeholders(own?.[key] ?? ''), key).toEqual(placeholders(text));
  });

  it.each(texts.locales)(
    '%s has only values in sentences that the page fills in itself',
    (locale) => {
      const sentences = JSON.parse(readFileSync(`locales/${locale}.json`, 'utf8')) as Record<
        string,
        string
      >;
      const formatted = Object.entries(sentences)
        .filter(([key, text]) => /^(?:web|line)\./.test(key) && /\{\s*\w+\s*,/.test(text))
        .map(([key]) => key);
      expect(formatted).toEqual([]);
    },
  );

  it.each(texts.locales)(
    '%s says “elsewhere”, not “server”, “workspace” or “mirror”, to everybody',
    (locale) => {
      const sentences = JSON.parse(readFileSync(`locales/${locale}.json`, 'utf8')) as Record<
        string,
        string
      >;
      const slack = /^slack\.|^watch\.shared$|^autotranslate\.wizard-admins$/;
      // These are about spaces of both platforms at once or tell them apart, or name the command.
      const both =
        /^errors\.needs-moderator$|^privacy\.languages$|^settings\.(?:outside-approved|approved-ids|links-id)$|^links\.not-approved|\.mirror\.name$|^members\.(?:none|heading)$|\.panel-(?:elsewhere|link-to)$|\.link-codes?$|^autotranslate\.(?:elsewhere|group)$/;
      const words =
        /\bworkspaces?\b|espacios? de trabajo|espaces? de travail|ワークスペース|워크스페이스|工作区|工作區|(?<!\/autotranslate )\bmirror(?! \{)|spiegel|espejo|miroir|espelho|ミラー|미러|鏡像/i;
      // These are said on Discord alone, or of the computer that serves.
      const discord =
        /^(?:web|room|captions|remedies)\.|^watch\.(?:grant|threads-full)$|\.wizard-no-room$|^welcome\.direct$/;
      const server = /\bServer(?:s|n)?\b|servidor|serveur|サーバー|서버|服务器|伺服器/i;
      const vague = [
        'members.heading',
        'autotranslate.elsewhere',
        'autotranslate.group',
        'autotranslate.panel-link-to',
      ];
      expect(vague.filter((key) => !server.test(sentences[key] ?? ''))).toEqual([]);
      const found = Object.entries(sentences)
        .filter(
          ([key, text]) =>
            !both.test(key) &&
            ((words.test(text) && !slack.test(key)) ||
              (server.test(text.replaceAll(/\{\w+\}/g, '')) && !discord.test(key))),
        )
        .map(([key]) => key);
      expect(found).toEqual([]);
    },
  );

  it.each(texts.locales)('%s tells only moderators what only operators can do', (locale) => {
    const sentences = JSON.parse(readFileSync(`locales/${locale}.json`, 'utf8')) as Record<
      string,
      string
    >;
    const remedies = Object.entries(sentences)
      .filter(([, text]) => /[A-Z]{2,}_[A-Z]|\bnpm |apt-get|\.env\b/.test(text))
      .map(([key]) => key);
    expect(remedies).toEqual(remedies.filter((key) => key.startsWith('remedies.')));
    expect(remedies).not.toEqual([]);
  });

  /** The keys of names that stand side by side: commands, a group's subcommands, an action's options. */
  const levelsOf = (commands: readonly Command[]): string[][] => [
    commands.map(({ name }) => `commands.${name}.name`),
    ...commands.map(({ name, actions }) =>
      Object.keys(actions)
        .filter((key) => key !== SOLE_ACTION)
        .map((key) => `commands.${name}.${key}.name`),
    ),
    ...commands
      .flatMap(({ actions }) => Object.values(actions))
      .map(({ options }) =>
        Object.keys(options?.shape ?? {}).map((option) => `options.names.${option}`),
      ),
  ];

  it.each(texts.locales)('%s names commands and options as platforms take it', async (locale) => {
    const t = texts.in(locale);
    const commands = await discover<Command>('commands', commandFault);
    for (const level of levelsOf(commands)) {
      const names = level.map((key) => t(key as MessageKey));
      expect(new Set(names).size, names.join()).toBe(names.length);
      for (const name of names) {
        // Discord's rule for the names of commands and options.
        expect(name).toMatch(/^[-_\p{L}\p{N}]{1,32}$/u);
        expect(name).toBe(name.toLowerCase());
      }
    }
    for (const key of texts.under('commands.')) {
      if (key.endsWith('.menu')) expect(t(key), key).toMatch(/^\S.{0,30}\S$/u);
      // What is told of an option may depend on whether there are voice channels.
      const longest = Math.max(
        ...['yes', 'no'].map((rooms) => Array.from(t(key, { rooms })).length),
      );
      expect(longest, key).toBeLessThanOrEqual(100);
    }
  });

  it('names commands and options in English as they are typed', async () => {
    const t = texts.in('en');
    const commands = await discover<Command>('commands', commandFault);
    for (const key of levelsOf(commands).flat())
      expect(t(key as MessageKey)).toBe(
        key
          .replace(/\.name$/, '')
          .split('.')
          .at(-1),
      );
  });

  it('have every sentence that is used, and use every one they have', async () => {
    const sources = SOURCES.map(({ text }) => text).join('\n');
    const commands = await discover<Command>('commands', commandFault);
    const described = new Set(commands.flatMap(keysOf));
    for (const key of described) expect(keysIn('en')).toContain(key);
    const literals = new Set(
      [...sources.matchAll(/['"`]([a-z][\w.-]*\.[\w.-]+)['"`]/g)].map((match) => match[1]),
    );
    const prefixes = [...sources.matchAll(/`([a-z][\w-]*\.(?:[\w-]+[.-])*)\$\{/g)].map(
      (match) => match[1] ?? '',
    );
    const unused = keysIn('en').filter(
      (key) =>
        !described.has(key) &&
        !literals.has(key) &&
        !prefixes.some((prefix) => key.startsWith(prefix)),
    );
    expect(unused).toEqual([]);
  });
});

/** Names that every implementation of one port exports, or every module of one kind. */
const SHARED_NAMES: ReadonlySet<string> = new Set([
  'CAPABILITIES',
  'PLATFORM',
  'PlatformDeps',
  'createEngine',
  'createPlatform',
]);

describe('exported names', () => {
  const EXPORT =
    /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;

  it('mean one thing each', () => {
    const homes = new Map<string, Set<string>>();
    for (const { path, text } of SOURCES)
      for (const [, name = ''] of text.matchAll(EXPORT))
        homes.set(name, (homes.get(name) ?? new Set()).add(path));
    // Adapters are alike: a name at the same place of several is the same thing for each platform.
    const placesOf = (paths: ReadonlySet<string>): number =>
      new Set([...paths].map((path) => path.replace(/^adapters\/\w+\//, ''))).size;
    const twice = [...homes]
      .filter(([name, paths]) => placesOf(paths) > 1 && !SHARED_NAMES.has(name))
      .map(([name, paths]) => `${name}: ${[...paths].join(', ')}`);
    expect(twice).toEqual([]);
  });
});

/** Pronouns, prepositions and question words: a comment that begins with one lacks its subject. */
const NO_SUBJECT: ReadonlySet<string> = new Set(
  (
    'it its they their them he she we our us you your this that these those there here ' +
    'nobody nothing everybody everything somebody something anybody anything what whether ' +
    'who whom whose where when which how of in for to by with without on at as from under ' +
    'beside between before after since until because if unless so'
  ).split(' '),
);

describe('doc comments', () => {
  it('begin with a subject or a verb', () => {
    const wrong = SOURCES.flatMap(({ path, text }) =>
      [...text.matchAll(/\/\*\*[\s*]*([A-Za-z]+)[^\n]*/g)]
        .filter(([, word = '']) => NO_SUBJECT.has(word.toLowerCase()))
        .map(([comment]) => `${path}: ${comment}`),
    );
    expect(wrong).toEqual([]);
  });
});
