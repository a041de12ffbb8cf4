import type { CommandContext } from '../../src/command/command.ts';
import {
  channelAround,
  type Channel,
  channelMention,
  isSameChannel,
} from '../../src/model/place.ts';
import { userError } from '../../src/errors.ts';
import { z } from 'zod';
import { listOf, hears, replacedText, setupMark } from '../../src/command/helpers.ts';
import { lines, sentence, series, type Maybe } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import {
  hasRules,
  isPaused,
  isQuiet,
  usedLanguages,
  type Changer,
  type ChannelWatch,
} from '../../src/model/space.ts';

/** The part of a command's context that the actions and their warnings use. */
export type Context = Pick<
  CommandContext<unknown>,
  'access' | 'channel' | 'member' | 'services' | 'forReaders' | 'locale' | 't' | 'label' | 'signal'
>;

/** The channel that was named, or the one that the command was used in: threads are watched with theirs. */
export const chosenChannel = ({
  channel,
  options,
}: Context & { readonly options: { readonly channel?: Channel | undefined } }): Channel =>
  options.channel ?? channelAround(channel);

/**
 * Throws `forbidden` where channels of this space that are linked with one of these are hidden from the person: whoever
 * changes a group decides about all of its channels.
 */
export const demandLinked = async (
  channels: readonly Channel[],
  { access, services, channel: { space } }: Pick<Context, 'access' | 'services' | 'channel'>,
): Promise<void> => {
  const all = services.watches.list(space);
  const groups = all
    .filter((watch) => channels.some((channel) => isSameChannel(channel, watch.channel)))
    .flatMap(({ group }) => group ?? []);
  const linked = all.filter(({ group }) => group !== undefined && groups.includes(group));
  await demandSeen(linked, { access });
};

/** Throws `forbidden` where the channel of one of these is hidden from the person. */
export const demandSeen = async (
  watches: readonly ChannelWatch[],
  { access }: Pick<Context, 'access'>,
): Promise<void> => {
  const seen = await access.seen(watches, (watch) => watch.channel);
  if (seen.length < watches.length) throw userError('forbidden', 'autotranslate.linked-unseen');
};

/** The names of languages in the reader's language. */
export const namesOf = (languages: readonly string[], { services, locale }: Context): string[] =>
  languages.map((language) => services.languages.name(language, locale));

/** A linked channel with its language. */
export const linkedLine = (watch: ChannelWatch, ctx: Context): RichText =>
  series([channelMention(watch.channel), ...namesOf(watch.languages, ctx)]);

/** Options of every setting: whether voice messages, and messages of bots, are translated too. */
export const switches = {
  'voice-messages': z.boolean().default(true),
  bots: z.boolean().default(false),
};
/** The option by which a moderator agrees to link age-restricted channels with others. */
export const ageOption = z.boolean().default(false);
export type Switches = z.infer<z.ZodObject<typeof switches>>;

/** Says what the switches mean for the channels that are set. */
export const switchLines = async (options: Switches, ctx: Context): Promise<RichText> => {
  const { t } = ctx;
  const voice = options['voice-messages']
    ? (await hears(ctx))
      ? 'autotranslate.voice-messages'
      : 'autotranslate.no-recognition'
    : 'autotranslate.no-voice-messages';
  return lines(t(voice), t(options.bots ? 'autotranslate.bots' : 'autotranslate.no-bots'));
};

const mentionsOf = (watches: readonly ChannelWatch[]): RichText =>
  series(
    watches.map(({ channel }) => channelMention(channel)),
    ' ',
  );

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));

export const replacedLine = (old: ChannelWatch, { services, t, locale }: Context): RichText =>
  replacedText(old, services.languages, t, locale);

/** The watch of a channel itself; undefined where nothing is set for it. */
export const watchOf = (
  { services }: Pick<Context, 'services'>,
  channel: Channel,
): ChannelWatch | undefined =>
  services.watches.list(channel.space).find((watch) => isSameChannel(watch.channel, channel));

/** Names what is set for a channel at this moment; see `setupMark`. */
export const markNow = (channel: Channel, ctx: Pick<Context, 'services'>): string =>
  setupMark(watchOf(ctx, channel));

/** Warns that a link takes the place of what is set for a channel; undefined where nothing is, or it is linked already. */
export const linkWarning = (channel: Channel, ctx: Context): RichText | undefined => {
  const { services, t, locale } = ctx;
  const old = watchOf(ctx, channel);
  if (!old || old.mode === 'mirror') return undefined;
  const key = 'autotranslate.link-replaces';
  return sentence('⚠️ ', replacedText(old, services.languages, t, locale, key));
};

/** The settings that others take the place of. */
export const replacedLines = (
  watches: readonly ChannelWatch[],
  before: readonly ChannelWatch[],
  ctx: Context,
): RichText[] =>
  watches.flatMap((watch) => {
    const old = before.find(({ channel }) => channel.id === watch.channel.id);
    const isSame =
      old?.mode === watch.mode &&
      old.below === watch.below &&
      sameSet(old.languages, watch.languages);
    return !old || old.mode === 'mirror' || isSame ? [] : [replacedLine(old, ctx)];
  });

/** Explains what keeps translations from coming although they are set. */
export const obstacleLines = async (
  watches: readonly ChannelWatch[],
  ctx: Context,
): Promise<Maybe<RichText>[]> => {
  const { services, channel: here, member, t } = ctx;
  const choices = await services.spaces.of(here.space);
  const quiet = watches.filter(({ channel }) => isQuiet(channel, choices));
  const wanted = [...new Set(watches.flatMap(usedLanguages))];
  const group = watches[0]?.group;
  const linked = group === undefined ? [] : services.watches.list(here.space);
  const spoken = linked.filter((each) => each.group === group).flatMap((each) => each.languages);
  // In a group only its own languages are translated, elsewhere whatever people write.
  const translates = async (to: string): Promise<boolean | undefined> => {
    if (group === undefined) return services.translates(to);
    const sources = [...new Set([...wanted, ...spoken])].filter((from) => from !== to);
    const answers = await Promise.all(sources.map((from) => services.translates(to, from)));
    return sources.length === 0 || answers.some((answer) => answer !== false);
  };
  const answers = await Promise.all(wanted.map(translates));
  const missing = wanted.filter((_, place) => answers[place] === false);
  return [
    missing.length > 0 &&
      t(member.isOperator ? 'remedies.no-translation-into' : 'autotranslate.no-translation-into', {
        languages: listOf(namesOf(missing, ctx), ctx.locale),
        count: missing.length,
      }),
    quiet.length > 0 &&
      t('autotranslate.quiet', { channels: mentionsOf(quiet), count: quiet.length }),
  ];
};

/** Says what holds on in channels that were set up: pauses, and rules, also those from before auto-translate was off. */
export const standingLines = async (
  channels: readonly Channel[],
  { services, channel: { space }, t, label }: Context,
): Promise<readonly RichText[]> => {
  const set = services.watches
    .list(space)
    .filter((watch) => channels.some((each) => isSameChannel(each, watch.channel)));
  const paused = set.filter((each) => isPaused(each));
  const ruled = set.filter(hasRules);
  const holding = set.map(async (watch) => {
    const members = await services.watches.members(watch);
    const channel = channelMention(watch.channel);
    const held = members.filter(({ holds }) => holds);
    return held.map(({ name }) => series([name, t('members.holds', { channel })]));
  });
  const entry = label('rules.panel');
  return [
    ...(paused.length > 0
      ? [t('autotranslate.still-paused', { channel: mentionsOf(paused) })]
      : []),
    ...(await Promise.all(holding)).flat(),
    ...(ruled.length > 0
      ? [t('autotranslate.rules-hold', { channel: mentionsOf(ruled), entry })]
      : []),
  ].map((line) => sentence('⚠️ ', line));
};

/** Says that the rules of channels outlast the end of auto-translate there; undefined where they have none. */
export const keptRulesLine = (
  ending: readonly ChannelWatch[],
  { services, t }: Context,
): Maybe<RichText> => {
  const channel = mentionsOf(ending.filter(hasRules));
  const { days } = services.audit;
  return ending.some(hasRules) && t('autotranslate.rules-kept', { channel, days });
};

/** The person who changes something. Nobody else sees the answer: every channel is told. */
export const changer = ({ locale, member }: Pick<Context, 'locale' | 'member'>): Changer => ({
  name: member.name,
  locale: member.spaceLocale ?? locale,
});

/** Sets the watches; resolves with what people have to know besides. */
export const setAndWarn = async (
  watches: readonly ChannelWatch[],
  ctx: Context,
  mayMixAges = false,
): Promise<RichText | undefined> => {
  const { access, services, channel } = ctx;
  const channels = watches.map((watch) => watch.channel);
  await access.demand(channels, 'write');
  await demandLinked(channels, ctx);
  const before = services.watches.list(channel.space);
  await services.watches.set(watches, { by: changer(ctx), mayMixAges });
  const warnings = [
    ...replacedLines(watches, before, ctx),
    ...(await obstacleLines(watches, ctx)),
  ].map((line) => line && sentence('⚠️ ', line));
  warnings.push(...(await standingLines(channels, ctx)));
  return warnings.some(Boolean) ? lines(...warnings) : undefined;
};
