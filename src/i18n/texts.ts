import type { Naming } from '../model/command-info.ts';
import type { Member } from '../model/place.ts';
import { sentence } from '../rich-text/compose.ts';
import { plainValue } from '../rich-text/pieces/fill-slots.ts';
import type { Inline, RichText } from '../rich-text/rich-text.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { createLru } from '../async/lru.ts';
import { formatRich, type OwnCommands } from './format-rich-text.ts';
import { listOf } from './lists.ts';
import {
  AppError,
  isLanguage,
  isList,
  type Sentence,
  type SentenceParams,
  type MessageKey,
} from '../errors.ts';
import { languageName } from '../text/language/language-names.ts';

/** Says one sentence (ICU MessageFormat) in one locale, without markup: a label, a title. */
export type Translate = (key: MessageKey, params?: SentenceParams) => string;

/** Says one sentence as rich text: values stay what they are, whatever is in them. */
export type TranslateRich = (key: MessageKey, params?: SentenceParams) => RichText;

export type Texts = ReturnType<typeof loadTexts>;

const FALLBACK_LOCALE = 'en';
/** Parsed sentences that are kept: one takes 5 KB, and most are said once, to describe commands. */
const MOST_FORMATS = 500;
/** Tags whose locale is kept: they come from outside. */
const MOST_TAGS = 200;
/** Values that stand for themselves: `{name}`. */
const PLACEHOLDERS: Readonly<Record<string, string>> = new Proxy(
  {},
  { has: () => true, get: (_, name) => `{${String(name)}}` },
);

const readLocale = (path: string, rewrite: (written: string) => string): Map<string, string> => {
  try {
    const sentences = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
    return new Map(Object.entries(sentences).map(([key, written]) => [key, rewrite(written)]));
  } catch (cause) {
    throw new AppError('config', `locales/${basename(path)} is not readable as JSON`, { cause });
  }
};

/** Undefined for a sentence that is missing or broken: another locale's is said in its place. */
const parse = (text: string | undefined, locale: string): IntlMessageFormat | undefined => {
  try {
    return text === undefined
      ? undefined
      : new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
  } catch {
    return undefined;
  }
};

interface Writing {
  readonly language: string;
  readonly script: string | undefined;
}

/** The language and script of a tag, said or not: that of `zh-TW` is Hant, that of `zh` Hans. */
const writingOf = (tag: string): Writing => {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return { language, script };
  } catch {
    return { language: tag.toLowerCase(), script: undefined };
  }
};

type Values<Value> = Readonly<Record<string, Value>>;

/** Names the languages among the parameters, and writes lists; others pass as they are. */
/** @param permission the platform's own word for a permission that a sentence names by its English one */
const inLocale = (
  locale: string,
  params: SentenceParams,
  permission: (name: string) => string,
): Values<string | number | Inline | RichText> => {
  const values: Record<string, string | number | Inline | RichText> = {};
  for (const [name, value] of Object.entries(params)) {
    const named = <Of>(each: Of): Of | string =>
      name === 'permissions' && typeof each === 'string' ? permission(each) : each;
    if (isLanguage(value)) values[name] = languageName(value.language, locale);
    else values[name] = isList(value) ? listOf(value.list.map(named), locale) : named(value);
  }
  return values;
};

const plainValues = (...given: Parameters<typeof inLocale>): Values<string | number> =>
  Object.fromEntries(
    Object.entries(inLocale(...given)).map(([name, value]) => [
      name,
      typeof value === 'object' ? plainValue(value) : value,
    ]),
  );

/** Signs with a meaning in ICU MessageFormat. */
const SYNTAX = /[{}']/;

const COMMAND_KEY = /^commands\.([a-z]+(?:\.[a-z]+)?)\.name$/;

const UNDER = 'under ' satisfies Naming;

/** `/glossary add`, `/voice voice:`, `language`, `code:` and `age-restricted: yes`, as sentences mention them. */
const MENTION =
  /`(?:\/(?<command>[a-z]+(?: [a-z]+)?)(?: (?<option>[a-z]+):)?|(?<word>[a-z]+(?:-[a-z]+)*)(?<given>:(?: yes)?)?)`/g;

/**
 * Reads every `<locale>.json` of `folder`. Blocking: for start-up only.
 *
 * @param rewrite rewrites each sentence, e.g. the commands in it
 */
export const loadTexts = (
  folder: string,
  rewrite: (written: string) => string = (written) => written,
) => {
  const tables = new Map<string, Map<string, string>>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json')))
    tables.set(basename(file, '.json'), readLocale(join(folder, file), rewrite));
  const english = tables.get(FALLBACK_LOCALE);
  if (!english) throw new AppError('config', 'locales/en.json is missing');
  const locales: readonly string[] = [...tables.keys()].toSorted(
    (a, b) =>
      Number(b === FALLBACK_LOCALE) - Number(a === FALLBACK_LOCALE) || a.localeCompare(b, 'en'),
  );

  const writings = new Map(locales.map((locale) => [locale, writingOf(locale)]));

  /** Finds the locale of the tag's name, else one of the same script, else one of the same language. */
  const find = (tag: string): string | undefined => {
    const { language, script } = writingOf(tag);
    const alike = locales.filter((locale) => writings.get(locale)?.language === language);
    return (
      alike.find((locale) => locale.toLowerCase() === tag.toLowerCase()) ??
      alike.find((locale) => writings.get(locale)?.script === script) ??
      alike[0]
    );
  };
  const found = createLru<string, string>(MOST_TAGS);
  const pick = (tags: readonly string[]): string => {
    for (const tag of tags) {
      const locale = found.get(tag) ?? find(tag);
      if (locale === undefined) continue;
      found.set(tag, locale);
      return locale;
    }
    return FALLBACK_LOCALE;
  };

  const nameIn = (locale: string, key: string): string | undefined =>
    english.has(key) ? (tables.get(locale)?.get(key) ?? english.get(key)) : undefined;

  const permissionIn =
    (locale: string) =>
    (name: string): string =>
      nameIn(locale, `permissions.${name}`) ?? name;

  const localCommand = (name: string, locale: string): string | undefined => {
    const [group = '', action] = name.split(' ');
    const words = [nameIn(locale, `commands.${group}.name`)];
    if (action) words.push(nameIn(locale, `commands.${group}.${action}.name`));
    return words.includes(undefined) ? undefined : words.join(' ');
  };

  const ownCommands = new Map<string, OwnCommands>();
  const commandsIn = (locale: string): OwnCommands => {
    const known = ownCommands.get(locale);
    if (known) return known;
    const names = [...english.keys()].flatMap((key) => COMMAND_KEY.exec(key)?.[1] ?? []);
    const pairs = names.map((name) => name.replace('.', ' '));
    const commands = new Map(pairs.map((name) => [localCommand(name, locale) ?? name, name]));
    ownCommands.set(locale, commands);
    return commands;
  };

  const typedCommand = (name: string, locale: string, naming: Naming): string => {
    if (naming === 'plain') return name;
    return naming === 'local'
      ? (localCommand(name, locale) ?? name)
      : `${naming.slice(UNDER.length)} ${name}`;
  };

  const typedOption = (name: string, locale: string, naming: Naming): string =>
    (naming === 'local' ? nameIn(locale, `options.names.${name}`) : undefined) ?? name;

  /** A sentence with the commands and options that it mentions as people type them. */
  const withNames = (
    text: string | undefined,
    locale: string,
    naming: Naming,
  ): string | undefined =>
    naming === 'plain'
      ? text
      : text?.replaceAll(MENTION, (_mention: string, ...rest) => {
          const {
            command,
            option,
            word = '',
            given = '',
          } = rest.at(-1) as Record<string, string | undefined>;
          if (command === undefined) return `\`${typedOption(word, locale, naming)}${given}\``;
          const named = option === undefined ? '' : ` ${typedOption(option, locale, naming)}:`;
          return `\`/${typedCommand(command, locale, naming)}${named}\``;
        });

  /** The words of a sentence without anything to fill in, which need no parser; most have nothing. */
  const wordsOf = (locale: string, key: MessageKey, naming: Naming): string | undefined => {
    const own = tables.get(locale)?.get(key);
    return own && !SYNTAX.test(own) ? withNames(own, locale, naming) : undefined;
  };

  const formats = createLru<string, IntlMessageFormat>(MOST_FORMATS);
  const formatOf = (locale: string, key: MessageKey, naming: Naming): IntlMessageFormat => {
    const id = `${locale} ${naming} ${key}`;
    let format = formats.get(id);
    if (!format) {
      const own = tables.get(locale)?.get(key);
      format =
        parse(withNames(own, locale, naming), locale) ??
        parse(withNames(english.get(key), FALLBACK_LOCALE, naming), FALLBACK_LOCALE) ??
        new IntlMessageFormat(key, FALLBACK_LOCALE);
      formats.set(id, format);
    }
    return format;
  };

  return {
    /** The locales there are, English first. */
    locales,
    /** The best locale there is for these tags (BCP 47, best first); English when none fits. */
    pick,
    /** The keys of English that begin with `prefix`. */
    under: (prefix: string): readonly MessageKey[] =>
      [...english.keys()].filter((key) => key.startsWith(prefix)) as MessageKey[],
    /** True when English, the reference, has this key. */
    has: (key: string): key is MessageKey => english.has(key),
    /**
     * Sentences in the best locale for a tag; a sentence missing there is said in English. Default
     * naming: plain.
     */
    in: (tag: string, naming: Naming = 'plain'): Translate => {
      const locale = pick([tag]);
      return (key, params) =>
        wordsOf(locale, key, naming) ??
        String(
          formatOf(locale, key, naming).format(
            params && plainValues(locale, params, permissionIn(locale)),
          ),
        );
    },
    /** Like `in`, as rich text; named as the locale does, commands are mentions (`ownCommand`). */
    rich: (tag: string, naming: Naming = 'plain'): TranslateRich => {
      const locale = pick([tag]);
      return (key, params = {}) =>
        formatRich(
          formatOf(locale, key, naming),
          inLocale(locale, params, permissionIn(locale)),
          naming === 'local' ? commandsIn(locale) : undefined,
        );
    },
    /** Sentences without values: `{name}` stands where one goes. */
    templates: (tag: string) => {
      const locale = pick([tag]);
      return (key: MessageKey): string =>
        String(formatOf(locale, key, 'plain').format(PLACEHOLDERS));
    },
    /** The name that people type for a command, both words of a subcommand, or for an option. */
    typed: (
      what: { command: string } | { option: string },
      tag: string,
      naming: Naming,
    ): string => {
      const locale = pick([tag]);
      return 'option' in what
        ? typedOption(what.option, locale, naming)
        : typedCommand(what.command, locale, naming);
    },
  };
};

/** A sentence in the form that `translate` says: words or rich text. */
export const say = <Form>(
  translate: (key: MessageKey, params?: SentenceParams) => Form,
  { key, params }: Sentence,
): Form => translate(key, params);

/** The remedies of moderators; all others are the operator's. */
const OF_MODERATORS: ReadonlySet<MessageKey> = new Set(['remedies.own-key', 'remedies.own-top-up']);

/** Says to a person what to do about a fault: the remedy itself to who can do it, whom to ask to others. */
export const remedyFor = (
  { role, isOperator = false }: Pick<Member, 'role' | 'isOperator'>,
  translate: TranslateRich,
  remedy: Sentence,
): RichText => {
  const isModerator = role === 'moderator';
  if (OF_MODERATORS.has(remedy.key) ? isModerator : isOperator) return say(translate, remedy);
  return translate(isModerator ? 'errors.ask-operator' : 'errors.ask-moderator');
};

/** An error's sentence and what to do about it. */
export const explain = (
  translate: TranslateRich,
  { sentence: reason, remedy }: Pick<AppError, 'sentence' | 'remedy'>,
  person: Pick<Member, 'role' | 'isOperator'>,
): RichText => {
  const first = say(translate, reason);
  return remedy ? sentence(first, ' ', remedyFor(person, translate, remedy)) : first;
};
