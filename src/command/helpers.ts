import { mayHoldAudio } from '../audio/file-names.ts';
import type { Complete, PressContext } from './command.ts';
import { menu } from './controls.ts';
import type { MessageFile, Control, Message } from '../model/message.ts';
import type { DailyLimits } from '../model/space.ts';
import { sentence, series, type Maybe } from '../rich-text/compose.ts';
import type { KeyTrouble } from '../model/service.ts';
import { channelMention, isSameChannel, type Channel } from '../model/place.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { userError, type Sentence } from '../errors.ts';
import { listOf } from '../i18n/lists.ts';
import { remedyFor, say } from '../i18n/texts.ts';
import type { Services } from './services.ts';
import { rulesOf } from '../autotranslate/rules.ts';
import { voiceText } from '../speech/voice-choice.ts';
import { typedCode } from '../text/quoted-words.ts';
import { readLanguages, splitTyped } from './options.ts';
import type { CaptionRecord, Room } from '../voice/room-types.ts';

export { button, menu, switchButton } from './controls.ts';
export { smallModels, smallModelsNote } from '../translation/small-models.ts';
export { KEY_CHARS } from '../api/keys.ts';
export { flagOfLanguage } from '../text/language/languages.ts';
export { listOf } from '../i18n/lists.ts';
export { remedyFor, say } from '../i18n/texts.ts';
export { roomTurns, summaryTurns } from '../chat/turns.ts';
export { firstThatFits, voicePreferences, voiceSpeaks } from '../speech/voice-choice.ts';
export { voiceText, voiceWords } from '../speech/voice-choice.ts';
export { minutesAndSeconds } from '../text/time-of-day.ts';
export { quotedInstruction, quotedWords, typedCode } from '../text/quoted-words.ts';
export { isBlankMessage, languageText } from '../text/message-checks.ts';
export { answerText } from '../chat/answer-text.ts';
export { readChannels } from './options.ts';
export { DAY_MS, HOUR_MS, MINUTE_MS } from '../async/clock.ts';
export { CHART_SIGNS } from './usage-chart.ts';
export { attachmentTranscript } from './answer-updates.ts';
export { resultOf } from '../async/abort.ts';
export { formerOffer, joinMark, modeKey } from '../autotranslate/replaced.ts';
export { replacedText, setupMark } from '../autotranslate/replaced.ts';
export { excerptRow, rowChars } from '../text/excerpt-row.ts';
export { excerpt, shorten } from '../text/quoted-words.ts';
export { WITHHELD_REASONS } from '../voice/captions/missing-lines.ts';
export { TERM_CHARS } from '../translation/glossary-rows.ts';
export { markSynthetic } from '../audio/container/synthetic-mark.ts';
export { isDeepStrictEqual } from 'node:util';
export { joinTexts } from '../text/local-agreement.ts';
export { rulesOf } from '../autotranslate/rules.ts';

/** Says how many of all things are not listed because their channels are hidden from the person. */
export const hiddenNote = (
  all: readonly unknown[],
  seen: readonly unknown[],
  { t }: Pick<PressContext, 't'>,
): Maybe<RichText> =>
  seen.length < all.length && t('channels.hidden', { count: all.length - seen.length });

/** Mentions of a space's channels in one row, those that the person may see; a dash for none. */
export const channelNames = async (
  ids: readonly string[],
  ctx: Pick<PressContext, 'access' | 'channel' | 't'>,
): Promise<RichText> => {
  const { space } = ctx.channel;
  const seen = await seenChannels(ids, ctx);
  const mentions = seen.map((id) => channelMention({ space, id }));
  return series(ids.length === 0 ? ['–'] : [...mentions, hiddenNote(ids, seen, ctx)], ' ');
};

/** Filters out the channels of the space that the person may not see. */
export const seenChannels = (
  ids: readonly string[],
  { access, channel: { space } }: Pick<PressContext, 'access' | 'channel'>,
): Promise<readonly string[]> => access.seen(ids, (id) => ({ space, id }));

/** The values of a choice of several: what the person changed of those that were shown, in those that others chose meanwhile. */
export const chosenOver = (
  now: readonly string[],
  { values, shown = now }: Pick<PressContext, 'values' | 'shown'>,
): readonly string[] => {
  const kept = now.filter((value) => values.includes(value) || !shown.includes(value));
  return [...new Set([...kept, ...values.filter((value) => !shown.includes(value))])];
};

/**
 * Resolves with what gives the channels that are chosen from now on, out of those at that moment: those that are hidden
 * from the person stay as they were. Rejects with `forbidden` where a hidden one was added.
 */
export const chosenChannels = async (
  before: readonly string[],
  ctx: Pick<PressContext, 'access' | 'channel' | 'values' | 'shown'>,
): Promise<(now: readonly string[]) => readonly string[]> => {
  const { space } = ctx.channel;
  const { values } = ctx;
  const known = new Set([...before, ...(ctx.shown ?? [])]);
  await ctx.access.demand(
    values.filter((id) => !known.has(id)).map((id) => ({ space, id })),
    'see',
  );
  const shown = await seenChannels(ctx.shown ?? before, ctx);
  return (now) => chosenOver(now, { values, shown });
};

/** The first file of a message that may hold audio, by its name and type; videos included. */
export const audioFileOf = ({ files }: Message): MessageFile | undefined =>
  files.find(({ name, mediaType, voice }) => voice !== undefined || mayHoldAudio(name, mediaType));

/** Longest wait for the status of the service. */
const STATUS_MS = 3_000;

/** True when anything recognises speech; a service that is away, or refuses the key, may well do so. */
export const hears = async ({
  services,
  channel,
  signal,
}: Pick<PressContext, 'services' | 'channel' | 'signal'>): Promise<boolean> => {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(STATUS_MS)]);
  const { reachable, refusal, engines } = await services.status(soon, channel.space);
  const able = engines.filter(({ serves }) => serves.includes('recognition'));
  return !reachable || refusal !== undefined || able.some(({ ready }) => ready);
};

/** Names of the service's engines that translate at the moment; none of a service that names none. */
export const translationEngines = async (
  { services, space }: { readonly services: Services; readonly space: Channel['space'] },
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(STATUS_MS)]);
  const { builtIn, engines } = await services.status(soon, space);
  return engines
    .filter(({ serves, ready }) => builtIn && ready && serves.includes('translation'))
    .map(({ name }) => name);
};

/** Longest wait for voices: what comes later completes the next letter. */
const VOICES_MS = 2_500;

/** Completes a voice by words of its description, its language or its gender. */
export const completeVoice: Complete = async (typed, { services, space }) => {
  const preference = typed.trim() === '' ? {} : { named: typed };
  const voices = await services.speaker.voices(preference, space, AbortSignal.timeout(VOICES_MS));
  return voices.map((voice) => ({ value: voice.id, label: voiceText(voice) }));
};

/** More translations of one text than this nobody reads. */
export const MOST_LANGUAGES = 10;

/** The languages that can be chosen from a list, most spoken on chats first. */
export const OFFERED_LANGUAGES =
  'en es pt fr de ja ko zh zh-Hant ru it pl nl tr ar hi id vi th uk cs sv fi el he'.split(' ');

/** The languages that can be chosen in a space: those into which its channels are translated first. */
export const offeredLanguages = (
  space: Channel['space'],
  { watches }: Pick<Services, 'watches'>,
): readonly string[] => [
  ...new Set([...watches.list(space).flatMap(({ languages }) => languages), ...OFFERED_LANGUAGES]),
];

/** Codes under other names in lists: beside Traditional Chinese, Chinese is called Simplified. */
const LISTED_AS: Readonly<Record<string, string>> = { zh: 'zh-Hans' };

/** A language as people choose it from a list: its name, what it calls itself, its code. */
export const languageLabel = (code: string, locale: string, { languages }: Services): string => {
  const listed = LISTED_AS[code] ?? code;
  const [name, own] = [languages.name(listed, locale), languages.name(listed, listed)];
  return `${own.toLowerCase() === name.toLowerCase() ? name : `${name} · ${own}`} (${code})`;
};

/** A menu of the languages that a person may read: the chosen one first, then that of their app, and those that were found, by default those of the space. */
export const languageMenu = (
  {
    services,
    channel,
    member,
    locale,
    label,
    capabilities,
  }: Pick<PressContext, 'services' | 'channel' | 'member' | 'locale' | 'label' | 'capabilities'>,
  press: string,
  chosen?: string,
  found: readonly string[] = offeredLanguages(channel.space, services),
): Control => {
  const first = [chosen, services.languages.find(member.locale)].filter(
    (code) => code !== undefined,
  );
  const codes = [...new Set([...first, ...found])];
  return menu(press, label('language.button'), {
    values: codes.slice(0, capabilities.choices),
    labelOf: (code) => languageLabel(code, locale, services),
    chosen: chosen === undefined ? [] : [chosen],
  });
};

/** Completes a language by its name or code. */
export const completeLanguage: Complete = (typed, { services, locale, most }) =>
  services.languages
    .search(typed, locale)
    .slice(0, most)
    .map(({ code }) => ({ value: code, label: languageLabel(code, locale, services) }));

/** Says amounts of what is limited, those that are given; undefined where none is. */
export const limitAmounts = (
  { characters, audioMinutes, chatTokens }: DailyLimits,
  { t, locale }: Pick<PressContext, 't' | 'locale'>,
): RichText | undefined => {
  const parts = [
    characters !== undefined && t('usage.characters', { count: characters }),
    audioMinutes !== undefined && t('usage.minutes', { count: audioMinutes }),
    chatTokens !== undefined && t('usage.tokens', { count: chatTokens }),
  ].filter((part) => part !== false);
  return parts.length > 0 ? listOf(parts, locale) : undefined;
};

/** The code of the language that a person typed, or an error that names it. */
export const typedLanguage = (typed: string, services: Services): string => {
  const code = services.languages.find(typed);
  if (code === undefined)
    throw userError('bad-input', 'errors.unknown-language', { language: typedCode(typed) });
  return code;
};

/** The codes of a typed list of 1 to `MOST_LANGUAGES`, or an error that says what is wrong with it. */
export const typedLanguages = (typed: string, services: Services): readonly string[] => {
  const { languages, unknown } = readLanguages(typed, services.languages);
  if (unknown.length > 0)
    throw userError('bad-input', 'autotranslate.unknown-languages', {
      languages: series(
        unknown.slice(0, MOST_LANGUAGES).map((name) => typedCode(name)),
        ', ',
      ),
      count: unknown.length,
    });
  if (languages.length === 0 || languages.length > MOST_LANGUAGES)
    throw userError('bad-input', 'autotranslate.how-many-languages', { most: MOST_LANGUAGES });
  return languages;
};

/** Offers the whole list with the language that is being typed completed. */
export const completeLanguages: Complete = (typed, { services, locale, most }) => {
  const ways = splitTyped(typed).map(({ before, last }) => ({
    known: readLanguages(before, services.languages).languages,
    found: services.languages.search(last, locale),
  }));
  const { known, found } = ways.find((way) => way.found.length > 0) ?? { known: [], found: [] };
  const before = known.map((code) => services.languages.name(code, locale));
  return found
    .filter(({ code }) => !known.includes(code))
    .slice(0, most)
    .map(({ code }) => ({
      value: [...known, code].join(', '),
      label: [...before, languageLabel(code, locale, services)].join(', '),
    }));
};

type Context = Pick<PressContext, 'services' | 'channel' | 'member' | 'access'>;

/** True where people can speak with each other. */
export const hasRooms = ({ commands }: Pick<PressContext, 'commands'>): boolean =>
  commands().some(({ needs }) => needs === 'rooms');

type ReaderContext = Pick<PressContext, 'services' | 'channel' | 'member'>;

/** The name of the language that a person reads in a channel: of the one they chose, else of that of the channel, of its space, or of their app. */
const namedByReader = async ({ services, channel, member }: ReaderContext): Promise<string> => {
  const { language } = await services.settings.of(member);
  const { reading } = rulesOf(
    services.watches.of(channel) ?? {},
    await services.spaces.of(channel.space),
  );
  return language ?? (reading || member.locale);
};

/** The language that a person reads in a channel. Rejects with `bad-input` where that is unknown. */
export const readerLanguage = async (ctx: ReaderContext): Promise<string> =>
  typedLanguage(await namedByReader(ctx), ctx.services);

/** The language that a person reads in a channel; undefined where that is unknown. */
export const guessedLanguage = async (ctx: ReaderContext): Promise<string | undefined> =>
  ctx.services.languages.find(await namedByReader(ctx));

/** True where channels can be translated and linked. */
export const hasWatches = ({ commands }: Pick<PressContext, 'commands'>): boolean =>
  commands().some(({ needs }) => needs === 'watch');

/** The room that a member is in together with us. */
export const sharedRoom = ({
  services,
  channel,
  member,
}: Omit<Context, 'access'>): Room | undefined => {
  const room = services.rooms.of(channel.space);
  const theirs = services.rooms.roomOf(channel.space, member.id);
  return room && theirs && isSameChannel(room.channel, theirs) ? room : undefined;
};

/** A room or its record, if the person is a moderator who may enter that room. */
const forModerator = async <Of extends { readonly channel: Channel }>(
  room: Of | undefined,
  { member, access }: Context,
): Promise<Of | undefined> => {
  if (member.role !== 'moderator' || !room) return undefined;
  const [seen] = await access.seen([room], ({ channel }) => channel);
  return seen;
};

/** The room that we are in, if the member may use it; see `joinedRoom`. */
export const roomNearby = async (ctx: Context): Promise<Room | undefined> =>
  sharedRoom(ctx) ?? forModerator(ctx.services.rooms.of(ctx.channel.space), ctx);

/**
 * The room that we are in, for those who are in it and for moderators who may enter it. Throws
 * `forbidden` for everybody else, who may neither learn what is said there nor end it, and
 * `not-found` where we are in none.
 */
export const joinedRoom = async (ctx: Context): Promise<Room> => {
  const room = await roomNearby(ctx);
  if (room) return room;
  const elsewhere = ctx.services.rooms.of(ctx.channel.space);
  if (!elsewhere) throw userError('not-found', 'room.none');
  throw userError('forbidden', 'room.not-with-me', { channel: channelMention(elsewhere.channel) });
};

/**
 * The captions of the room that we are in, or left a while ago; for those who were there, and
 * moderators who may enter it.
 */
export const captionRecord = async (ctx: Context): Promise<CaptionRecord> => {
  const { services, channel, member } = ctx;
  const here = await roomNearby(ctx);
  const last = services.rooms.lastRecord(channel.space);
  const theirs = last?.people.has(member.id) ? last : await forModerator(last, ctx);
  const found = [here, theirs].find((record) => record?.hasRecord);
  if (found) return found;
  // Who asks from elsewhere is told so.
  if (services.rooms.of(channel.space)) await joinedRoom(ctx);
  throw userError('not-found', 'captions.none');
};

const KEY_TROUBLES: Readonly<Record<KeyTrouble, readonly [Sentence, Sentence]>> = {
  refused: [{ key: 'service.bad-own-key' }, { key: 'remedies.own-key' }],
  'no-credit': [{ key: 'service.no-own-credit' }, { key: 'remedies.own-top-up' }],
  unreadable: [
    { key: 'service.unreadable-own-key' },
    { key: 'remedies.check', params: { name: 'ENCRYPTION_KEY' } },
  ],
};

/** Says to moderators why the key that their space brought is of no use, and what to do about it. */
export const ownKeyTrouble = (
  trouble: KeyTrouble,
  { member, t }: Pick<PressContext, 'member' | 't'>,
): RichText => {
  const [reason, remedy] = KEY_TROUBLES[trouble];
  return sentence(say(t, reason), ' ', remedyFor(member, t, remedy));
};

/** Says what captions are translated into. */
export const captionLanguages = (
  languages: readonly string[],
  { services, locale, t }: Pick<PressContext, 'services' | 'locale' | 't'>,
): RichText => {
  const names = languages.map((code) => services.languages.name(code, locale));
  return names.length === 0
    ? t('captions.as-spoken')
    : t('captions.into', { languages: listOf(names, locale) });
};
