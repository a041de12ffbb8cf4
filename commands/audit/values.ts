import type { PressContext } from '../../src/command/command.ts';
import { channelNames, isDeepStrictEqual, listOf } from '../../src/command/helpers.ts';
import { approvedLine, roomLines, ruleLines } from '../../src/command/setting-lines.ts';
import type { MessageKey } from '../../src/errors.ts';
import { roleMention } from '../../src/model/place.ts';
import { OPEN_LINKS, type ChannelWatch, type SpaceChoices } from '../../src/model/space.ts';
import { sentence, series, type Maybe, type RichPart } from '../../src/rich-text/compose.ts';
import {
  emoji as customEmoji,
  code,
  mention,
  text,
  type RichText,
} from '../../src/rich-text/rich-text.ts';
import { map, plainText } from '../../src/rich-text/walk.ts';

export type AuditContext = Pick<
  PressContext,
  'access' | 'channel' | 'services' | 'locale' | 'named' | 't' | 'label'
>;

/** Sentences on what is set, each under a name by which it is found again once it is set otherwise. */
type Said = Readonly<Record<string, Maybe<RichText>>>;
type Sayer<Value> = (value: Value, ctx: AuditContext) => Said | Promise<Said>;
type Sayers<Of> = { readonly [Name in keyof Of]-?: Sayer<NonNullable<Of[Name]>> };

const placed = (all: readonly Maybe<RichText>[]): Said => Object.fromEntries(all.entries());

const languageNames = (codes: readonly string[], { services, locale }: AuditContext): RichText =>
  listOf(
    codes.length > 0 ? codes.map((each) => services.languages.name(each, locale)) : ['–'],
    locale,
  );

/** A switch, of which each state has a sentence. */
const toggle =
  (on: MessageKey, off: MessageKey): Sayer<boolean> =>
  (isOn, { t }) => ({ it: t(isOn ? on : off) });

const amount =
  (key: MessageKey): Sayer<number> =>
  (limit, { t, locale }) => ({
    it: sentence(t(key), `: ${new Intl.NumberFormat(locale).format(limit)}`),
  });

const SPACE: Sayers<Omit<SpaceChoices, 'greeted'>> = {
  flags: ({ on, languages, keptMinutes }, ctx) => ({
    on: ctx.t(on ? 'settings.flags-are-on' : 'settings.flags-are-off'),
    kept: keptMinutes ? ctx.t('flags.expire', { count: keptMinutes }) : ctx.t('flags.stay'),
    ...Object.fromEntries(
      Object.entries(languages).map(([sign, language]) => {
        const isCustom = /^\w{2,}$/.test(sign);
        const shown = isCustom ? customEmoji(ctx.channel.space.platform, sign, 'emoji') : sign;
        return [`emoji ${sign}`, sentence(shown, ' ', languageNames([language], ctx))];
      }),
    ),
  }),
  roles: (roles, { channel: { space } }) =>
    Object.fromEntries(
      Object.entries(roles).map(([command, ids]) => [
        command,
        ids.length > 0 &&
          sentence(
            code(`/${command}`),
            ': ',
            series(
              ids.map((id) => roleMention(space, id)),
              ' ',
            ),
          ),
      ]),
    ),
  dailyCharacters: amount('settings.characters'),
  dailyAudioMinutes: amount('settings.minutes'),
  dailyChatTokens: amount('settings.tokens'),
  quietChannels: async (ids, ctx) => ({
    it: ctx.t('settings.quiet-in', { channels: await channelNames(ids, ctx) }),
  }),
  serverNames: (names, { t }) => ({ it: t(`settings.servers-${names}`) }),
  links: async (links, ctx) => {
    const { outside, approved, privateChannels, channels } = { ...OPEN_LINKS, ...links };
    const { t } = ctx;
    return {
      outside: sentence(t('settings.outside'), ': ', t(`settings.outside-${outside}`)),
      approved: approved.length > 0 && (await approvedLine(approved, ctx)),
      private: t(privateChannels ? 'settings.private-are-on' : 'settings.private-are-off'),
      channels:
        channels.length > 0 &&
        t('settings.linkable-are', { channels: await channelNames(channels, ctx) }),
    };
  },
  rules: (rules, ctx) => placed(ruleLines(rules, ctx)),
  announcesTerms: toggle('settings.terms-are-on', 'settings.terms-are-off'),
  answersMention: toggle('settings.mentions-are-on', 'settings.mentions-are-off'),
  reactions: toggle('settings.reactions-are-on', 'settings.reactions-are-off'),
  rooms: async (rooms, ctx) => placed(await roomLines(rooms, ctx)),
  languageRoles: (roles, ctx) =>
    Object.fromEntries(
      Object.entries(roles).map(([language, id]) => [
        language,
        sentence(languageNames([language], ctx), ': ', roleMention(ctx.channel.space, id)),
      ]),
    ),
  moderators: async ({ channel: id }, ctx) => ({
    it: sentence(ctx.t('settings.moderators'), ': ', await channelNames([id], ctx)),
  }),
  moderatorGroups: (ids, { channel: { space }, t, locale }) => {
    const groups = ids.map((id) => mention(space.platform, 'group', id));
    return { it: ids.length > 0 && sentence(t('settings.groups'), ': ', listOf(groups, locale)) };
  },
};

const WATCH: Sayers<Omit<ChannelWatch, 'channel' | 'group'>> = {
  mode: (mode, { t }) => ({ it: t('audit.mode', { mode: t(`autotranslate.modes.${mode}`) }) }),
  languages: (codes, ctx) => ({
    it: codes.length > 0 && ctx.t('audit.languages', { languages: languageNames(codes, ctx) }),
  }),
  transcribes: toggle('autotranslate.voice-messages', 'autotranslate.no-voice-messages'),
  bots: toggle('autotranslate.bots', 'autotranslate.no-bots'),
  below: (_, { t }) => ({ it: t('autotranslate.modes.below') }),
  choices: ({ rules = {} }, ctx) => placed(ruleLines(rules, ctx)),
};

type Values = Readonly<Record<string, unknown>>;

const saidOf = async (
  values: Values | undefined,
  sayers: Readonly<Record<string, Sayer<never> | undefined>>,
  ctx: AuditContext,
): Promise<ReadonlyMap<string, RichText>> => {
  const all = new Map<string, RichText>();
  for (const [name, sayer] of Object.entries(sayers))
    if (values && name in values)
      for (const [of, said] of Object.entries((await sayer?.(values[name] as never, ctx)) ?? {}))
        if (said) all.set(`${name} ${of}`, said);
  return all;
};

/** Drops the label that what is set now has in common with what was set. */
const unlabelled = (is: RichText, was: RichText): RichText => {
  const [label = ''] = /^[^:：]+[:：]\s*/.exec(plainText(is)) ?? [];
  if (!plainText(was).startsWith(label)) return is;
  let left = label.length;
  return map(is, (node) => {
    if (node.kind !== 'text' || left === 0) return node;
    const shown = node.text.slice(left);
    left = 0;
    return text(shown);
  });
};

/** Says what was set before and after a change, a line for each thing that differs, in the same order everywhere. */
export const changedLines = async (
  { what, before, after }: { what: string; before: Values | undefined; after: Values | undefined },
  ctx: AuditContext,
): Promise<readonly RichText[]> => {
  // What is turned off says enough with its sentence.
  if (after === undefined) return [];
  const sayers = { setting: SPACE, watch: WATCH }[what] ?? {};
  const [former, latter] = [await saidOf(before, sayers, ctx), await saidOf(after, sayers, ctx)];
  const order = Object.keys(sayers);
  const placeOf = (name: string): number => order.indexOf(name.split(' ', 1)[0] ?? '');
  const names = [...new Set([...former.keys(), ...latter.keys()])];
  return names
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .flatMap((name) => {
      const [was, is] = [former.get(name), latter.get(name)];
      const then = was && is ? unlabelled(is, was) : (is ?? '–');
      const parts: RichPart[] = before === undefined ? [then] : [was ?? '–', ' → ', then];
      return isDeepStrictEqual(was, is) ? [] : [sentence(...parts)];
    });
};
