import type { Action, Command, Press } from './command.ts';
import type { CommandInfo, PlatformPart } from '../model/command-info.ts';
import { userError } from '../errors.ts';
import type { Texts } from '../i18n.ts';
import type { Platforms } from '../running-platforms.ts';
import { typedCode } from '../text/quoted-words.ts';
import { actionsOf, describeAction, type PlatformTraits } from './describe-action.ts';

export interface CatalogueDeps {
  readonly commands: readonly Command[];
  readonly texts: Texts;
  readonly platforms: Pick<Platforms, 'find'>;
}

interface Found {
  readonly command: Command;
  readonly action: Action;
  readonly info: CommandInfo;
}

interface FoundPress {
  readonly command: Command;
  readonly press: Press;
  readonly arg: string;
}

/** The commands that there are, by platform. */
export interface Catalogue {
  list(locale: string, platform: string): readonly CommandInfo[];
  /** `name` as people type it, both words of a subcommand. Throws `not-found` with a sentence. */
  find(name: string, platform: string, locale: string): Found;
  /** `press` as it stands in a control. Throws `not-found` with a sentence. */
  findPress(press: string, platform: string): FoundPress;
}

const PRESS = /^(?<name>[a-z]+) (?<press>[a-z]+)(?::(?<arg>.*))?$/s;

/** Every text is looked up once, so that one that is missing is told at the start. */
export const createCatalogue = ({ commands, texts, platforms }: CatalogueDeps): Catalogue => {
  const has = (name: string, part: PlatformPart): boolean => {
    const { voice, feed, mirrors } = platforms.find(name) ?? {};
    return part === 'rooms' ? voice !== undefined : (feed && mirrors) !== undefined;
  };
  const actions = commands
    .flatMap((command) => actionsOf(command).map((named) => ({ command, ...named })))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const byName = new Map(actions.map((named) => [named.name, named]));
  const described = new Map<string, ReadonlyMap<string, CommandInfo>>();

  const describe = (locale: string, traits: PlatformTraits): ReadonlyMap<string, CommandInfo> => {
    const picked = texts.pick([locale]);
    const key = `${picked} ${traits.naming} ${traits.hasRooms}`;
    const known =
      described.get(key) ??
      new Map(actions.map((named) => [named.name, describeAction(named, texts, picked, traits)]));
    described.set(key, known);
    return known;
  };
  describe('en', { naming: 'plain', hasRooms: true });

  const describeOn = (platform: string, locale: string): ReadonlyMap<string, CommandInfo> =>
    describe(locale, {
      naming: platforms.find(platform)?.naming ?? 'plain',
      hasRooms: has(platform, 'rooms'),
    });

  const isThere = ({ needs }: Pick<Command, 'needs'>, platform: string): boolean =>
    needs === undefined || has(platform, needs);

  /** Leaves out the options for channels where no channel can be named. */
  const fitting = (info: CommandInfo, platform: string): CommandInfo =>
    has(platform, 'watch')
      ? info
      : { ...info, options: info.options.filter(({ kind }) => kind !== 'channel') };

  return {
    list: (locale, platform) =>
      [...describeOn(platform, locale).values()]
        .filter((info) => isThere(info, platform))
        .map((info) => fitting(info, platform)),

    find(name, platform, locale) {
      const named = byName.get(name);
      const info = describeOn(platform, locale).get(name);
      if (!named || !info || !isThere(named.command, platform))
        throw userError('not-found', 'errors.unknown-command', { command: typedCode(`/${name}`) });
      return { ...named, info: fitting(info, platform) };
    },

    findPress(given, platform) {
      const { name, press: word = '', arg = '' } = PRESS.exec(given)?.groups ?? {};
      const command = commands.find((each) => each.name === name);
      const presses = new Map(Object.entries(command?.presses ?? {}));
      const press = presses.get(word);
      if (!command || !press || !isThere(command, platform))
        throw userError('not-found', 'errors.unknown-press');
      return { command, press, arg };
    },
  };
};
