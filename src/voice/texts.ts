import {
  reasonSentence,
  AppError,
  type MessageKey,
  type SentenceParams,
  type SentenceValue,
} from '../errors.ts';
import { say, type Texts, type Translate, type TranslateRich } from '../i18n/texts.ts';
import type { Naming } from '../model/command-info.ts';
import { sections, sentence as inOneSentence } from '../rich-text/compose.ts';
import { channelMention, type Channel } from '../model/place.ts';
import type { Content } from '../model/message.ts';
import { timestamp, type RichText } from '../rich-text/rich-text.ts';
import type { ConsentRule } from '../model/room.ts';
import type { RoomMember } from '../ports/voice.ts';
import type { ListeningUse } from './listening-mode.ts';
import type { AnnouncerTexts } from './tts/synthesis.ts';
import { minutesAndSeconds } from '../text/time-of-day.ts';
import { quotedWords } from '../text/quoted-words.ts';
import type { SpokenWords } from '../text/speech/speakable.ts';

/** The reason why the bot did not come back to a room after a restart. */
export type NotBackReason = 'room.was-empty' | 'room.was-long' | AppError;

/** A time of day, in the reader's own zone. */
const shortTime = (ms: number) => timestamp(Math.floor(ms / 1_000), 't');

/** The names of people, for a sentence. */
export const personNames = (members: readonly Pick<RoomMember, 'name'>[]): SentenceValue => ({
  list: members.map(({ name }) => quotedWords(name)),
});

const listens = (
  t: TranslateRich,
  use: Exclude<ListeningUse, 'captions'>,
  rule: ConsentRule,
): RichText =>
  inOneSentence(
    t(use === 'wake-word' ? 'room.listens-name' : 'room.listens-voices'),
    ' ',
    t(rule === 'told' ? 'room.may-refuse' : 'room.may-agree'),
  );
const firstNotice = (t: TranslateRich, use: ListeningUse, rule: ConsentRule): RichText => {
  if (use !== 'captions') return listens(t, use, rule);
  return t(rule === 'told' ? 'room.notice' : 'room.notice-agreed');
};
const lateNotice = (
  t: TranslateRich,
  use: ListeningUse,
  rule: ConsentRule,
  names: SentenceValue,
): RichText => {
  if (use !== 'captions') return t('room.notice-to', { names, notice: listens(t, use, rule) });
  return t(rule === 'told' ? 'room.notice-late' : 'room.notice-late-agreed', { names });
};

export type RoomTexts = ReturnType<typeof createRoomTexts>;

/** The bot's own sentences in a room, in the room's language: rich text for messages, words for speech and labels. */
export const createRoomTexts = (texts: Texts, locale: string, naming: Naming) => {
  const t = texts.rich(locale, naming);
  const words = texts.in(locale, naming);
  const reasonOf = (error: AppError): RichText => say(t, reasonSentence(error));
  const note = (key: MessageKey, params?: SentenceParams): Content => ({
    text: t(key, params),
    tone: 'note',
  });
  /** Sentences in the language of the spoken text around them. */
  const spokenIn = (language: string | undefined): Translate => texts.in(language ?? locale);

  /** A button's label in several languages. */
  const labelIn = (
    locales: readonly string[],
    key: 'room.leave-me-out' | 'room.caption-me' | 'room.listen-to-me',
  ) => [...new Set(locales.map((each) => texts.in(each, naming)(key)))].join(' · ');

  return {
    locale,
    /** The locale in which the bot speaks to somebody with that language. */
    localeFor: (language: string): string => texts.pick([language]),
    announcer: {
      sentence: (name, language) => spokenIn(language)('room.says', { name }),
      somebody: (language) => spokenIn(language)('room.somebody'),
      andSoOn: (language) => spokenIn(language)('room.and-so-on'),
    } satisfies AnnouncerTexts,
    spokenWords: (language: string | undefined): SpokenWords => {
      const spoken = spokenIn(language);
      return {
        link: spoken('room.link'),
        code: spoken('room.code'),
        spoiler: spoken('room.spoiler'),
      };
    },
    /** The notice for everybody, or for `late` alone, by their names; once in each of the locales. */
    notice: (
      use: ListeningUse,
      rule: ConsentRule,
      late: readonly RoomMember[] | undefined,
      locales: readonly string[],
    ): Content => ({
      text: sections(
        ...locales.map((each) => {
          const read = texts.rich(each, naming);
          return late
            ? lateNotice(read, use, rule, personNames(late))
            : firstNotice(read, use, rule);
        }),
      ),
      controls: [
        {
          kind: 'button',
          press: 'captions in',
          label: labelIn(locales, use === 'captions' ? 'room.caption-me' : 'room.listen-to-me'),
        },
        { kind: 'button', press: 'captions out', label: labelIn(locales, 'room.leave-me-out') },
      ],
    }),
    /** The spoken notice: at most three seconds long. */
    spokenNotice: (use: ListeningUse, rule: ConsentRule, spoken: string): string => {
      const read = texts.in(spoken, naming);
      if (use !== 'captions') return read('room.spoken-listens');
      return read(rule === 'told' ? 'room.spoken-notice' : 'room.spoken-notice-agreed');
    },
    /** A note on the state of the room. */
    note,
    failed: (key: MessageKey, error: AppError): Content => note(key, { reason: reasonOf(error) }),
    /** A note on something at a time, in ms since 1970. */
    at: (key: MessageKey, atMs: number, params?: SentenceParams): Content =>
      note(key, { ...params, at: shortTime(atMs) }),
    /** A note on the time between two times, in ms since 1970. */
    between: (key: MessageKey, fromMs: number, toMs: number, params?: SentenceParams): Content =>
      note(key, { ...params, from: shortTime(fromMs), to: shortTime(toMs) }),
    /** Words for a label, a file or speech. */
    words,
    reason: reasonOf,
    /** The note that speech cannot be transcribed now. */
    trouble: (error: AppError): Content => {
      if (error.code === 'rate-limited') return note('room.trouble-busy');
      if (error.code === 'unavailable' || error.code === 'timeout')
        return note('room.trouble-away');
      return note('room.not-recognised', { reason: reasonOf(error) });
    },
    /** The note that the bot did not come back after a restart. */
    notBack: (sinceMs: number, reason: NotBackReason): Content =>
      note('room.not-back', {
        since: shortTime(sinceMs),
        reason: reason instanceof AppError ? reasonOf(reason) : t(reason),
      }),
    /** A note about a room, for the member who started its captions. */
    toStarter: (room: Channel, text: RichText): Content =>
      note('room.to-starter', { channel: channelMention(room), note: text }),
    /** The question that the bot heard, above its answer. */
    question: (name: string, question: string): RichText =>
      t('room.heard-you', { name: quotedWords(name), question: quotedWords(question) }),
    /** The note below an answer that is cut. */
    cut: (): RichText => t('chat.cut'),
    captionsEnded: (count: number, durationMs: number): RichText =>
      t('room.captions-ended', { count, duration: minutesAndSeconds(durationMs) }),
    /** The progress of a summary in that language, and the note that its beginning is missing. */
    summaryIn: (language: string) => {
      const read = texts.in(language, naming);
      return {
        reading: (part: number, parts: number): string =>
          read('room.summary-part', { part, parts }),
        leftOut: read('room.summary-cut'),
        cut: read('chat.cut'),
      };
    },
  };
};
