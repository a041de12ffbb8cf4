import { channelNames, captionLanguages, listOf, quotedWords, say } from './helpers.ts';
import type { PressContext } from './command.ts';
import { toAppError } from '../errors.ts';
import { memberMention, roleMention } from '../model/place.ts';
import { MESSAGE_TYPES, RULED, type Rule, type Ruled, type WatchRules } from '../model/rules.ts';
import type { RoomChoices } from '../model/room.ts';
import { sentence, series, type Maybe, type RichPart } from '../rich-text/compose.ts';
import { code, type RichText } from '../rich-text/rich-text.ts';
import { typedCode } from '../text/quoted-words.ts';

const SECOND_MS = 1_000;

type Context = Pick<PressContext, 'access' | 'channel' | 'services' | 'locale' | 't'>;

/** The line on the spaces that are approved: their ids, and the names of those that are linked here. */
export const approvedLine = async (
  ids: readonly string[],
  { services, channel: { space }, t, locale }: Context,
): Promise<RichText> => {
  const names = await services.watches.neighbours(space);
  const shown = ids.map((id) => series([names.get(id), code(id)], ' '));
  return t('settings.approved-are', { ids: listOf(shown.length > 0 ? shown : ['–'], locale) });
};

/** Lists what keeps Dragoman from writing in a channel. Rejects where it is not there, or that can't be found out. */
export const lackingIn = (
  id: string,
  { services, channel }: Context,
): Promise<readonly string[]> => {
  const line = { channel: { space: channel.space, id }, languages: [], mode: 'request' } as const;
  return services.watches.missing({ ...line, transcribes: false, bots: false });
};

/** Says why nothing can be said in the moderators’ channel, or that everybody reads it; undefined where all is well. */
export const moderatorsTrouble = async (ctx: Context): Promise<Maybe<RichText>> => {
  const { services, channel, t } = ctx;
  const { moderators } = await services.spaces.of(channel.space);
  if (!moderators) return undefined;
  const why = await lackingIn(moderators.channel, ctx).then(
    (lacking) =>
      lacking.length > 0 &&
      t('status.missing', { permissions: { list: lacking.map((each) => quotedWords(each)) } }),
    (thrown: unknown) => say(t, toAppError(thrown).sentence),
  );
  const channels = await channelNames([moderators.channel], ctx);
  const there = { space: channel.space, id: moderators.channel };
  const isOpen = !why && (await ctx.access.isOpen(there));
  if (!why && !isOpen) return undefined;
  const which = t('settings.moderators-are', { channels });
  return sentence(why ? '❌ ' : '⚠️ ', which, ' · ', why || t('settings.moderators-open'));
};

/** A line for each setting of voice rooms. */
export const roomLines = async (
  choices: RoomChoices,
  ctx: Context,
): Promise<readonly RichText[]> => {
  const { t } = ctx;
  return [
    t('rooms.joins-are', { channels: await channelNames(choices.joins, ctx) }),
    t(`rooms.consent-is-${choices.consent}`),
    t(choices.spokenNotice ? 'rooms.spoken-is-on' : 'rooms.spoken-is-off'),
    captionLanguages(choices.languages, ctx),
    t(choices.partials ? 'rooms.partials-are-on' : 'rooms.partials-are-off'),
    t(choices.showsAll ? 'rooms.all-is-on' : 'rooms.all-is-off'),
    t('rooms.pause-is', { seconds: choices.pauseMs / SECOND_MS }),
    t(`rooms.barge-in-is-${choices.bargeIn}`),
    t(choices.wakeWord ? 'rooms.wake-is-on' : 'rooms.wake-is-off'),
    t('rooms.reads', { channels: await channelNames(choices.readAloud, ctx) }),
  ];
};

const shownValues = (
  ruled: Ruled,
  { of }: Rule,
  { channel: { space }, t }: Context,
): RichPart[] => {
  if (ruled === 'people') return of.map((id) => memberMention(space, id));
  if (ruled === 'roles') return of.map((id) => roleMention(space, id));
  if (ruled !== 'types') return of.map((each) => typedCode(each));
  return MESSAGE_TYPES.filter((one) => of.includes(one)).map((one) => t(`rules.type.${one}`));
};

/** A line for each rule, in the same places; absent ones say nothing. */
export const ruleLines = (rules: WatchRules, ctx: Context): readonly Maybe<RichText>[] => {
  const { t, locale } = ctx;
  const { shortest = 0, languages = [], engine = '', formality = '', reading = '' } = rules;
  return [
    ...RULED.map((ruled): Maybe<RichText> => {
      const rule = rules[ruled];
      if (!rule || rule.of.length === 0) return undefined;
      const values = listOf(shownValues(ruled, rule, ctx), locale);
      return t(`rules.${rule.only ? 'only' : 'skip'}.${ruled}`, { values });
    }),
    shortest > 0 && t('rules.shortest', { count: shortest }),
    languages.length > 0 &&
      t('rules.languages', {
        languages: listOf(
          languages.map((each) => ctx.services.languages.name(each, locale)),
          locale,
        ),
      }),
    engine !== '' && t('rules.engine', { engine: typedCode(engine) }),
    formality !== '' &&
      t('rules.formality-shown', { formality: t(`rules.formality.${formality}`) }),
    reading !== '' &&
      t('rules.reading', { language: ctx.services.languages.name(reading, locale) }),
  ];
};
