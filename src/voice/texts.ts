import { reasonSentence, AppError } from '../errors.ts';
import { say, type Texts, type Translate, type TranslateRich } from '../i18n/texts.ts';
import type { Naming } from '../model/command-info.ts';
import { sections, sentence as inOneSentence } from '../rich-text/compose.ts';
import { channelMention, type Channel } from '../model/place.ts';
import type { Content } from '../model/content.ts';
import { timestamp, type RichText } from '../rich-text/rich-text.ts';
import type { ConsentRule } from '../model/space-choices.ts';
import type { RoomMember } from '../ports/voice.ts';
import type { ListeningUse } from './listening-mode.ts';
import type { AnnouncerTexts } from './tts/synthesis.ts';
import { minutesAndSeconds } from '../text/time-of-day.ts';
import { quotedWords } from '../text/quoted-words.ts';
import type { SpokenWords } from '../text/speech/spoken-nodes.ts';

export type RoomStatus =
  | 'room.reconnecting'
  | 'room.reconnected'
  | 'room.recognised-again'
  | 'room.told'
  | 'room.back'
  | 'room.cannot-hear-someone'
  | 'room.hears-everyone'
  | 'room.may-speak'
  | 'room.may-hear'
  | 'room.shown-again'
  | 'room.left';
export type RoomFailure =
  | 'room.untold'
  | 'room.not-shown'
  | 'room.not-said'
  | 'room.not-answered'
  | 'room.captions-limit'
  | 'room.captions-not-back';

/** The reason of an error, to be put into another sentence. */
const reasonOf = (t: TranslateRich, error: AppError): RichText => say(t, reasonSentence(error));

/** The reason why the bot did not come back to a room after a restart. */
export type NotBackReason = 'room.was-empty' | 'room.was-long' | AppError;

/** A time of day, in the reader's own zone. */
const shortTime = (ms: number) => timestamp(Math.floor(ms / 1_000), 't');
const timesOf = (fromMs: number, toMs: number) => ({
  from: shortTime(fromMs),
  to: shortTime(toMs),
});

const note = (text: RichText): Content => ({ text, tone: 'note' });
const namesOf = (members: readonly RoomMember[]): string =>
  members.map(({ name }) => quotedWords(name)).join(', ');

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
  names: string,
): RichText => {
  if (use !== 'captions') return t('room.notice-to', { names, notice: listens(t, use, rule) });
  return t(rule === 'told' ? 'room.notice-late' : 'room.notice-late-agreed', { names });
};

export type RoomTexts = ReturnType<typeof createRoomTexts>;

/** The bot's own sentences in a room, in the room's language: rich text for messages, words for speech and labels. */
export const createRoomTexts = (texts: Texts, locale: string, naming: Naming) => {
  const t = texts.rich(locale, naming);
  const words = texts.in(locale, naming);
  /** Sentences in the language of the spoken text around them. */
  const spokenIn = (language: string | undefined): Translate => texts.in(language ?? locale);

  /** A button's label in several languages. */
  const labelIn = (
    locales: readonly string[],
    key: 'room.leave-me-out' | 'room.caption-me' | 'room.listen-to-me',
  ) => [...new Set(locales.map((each) => texts.in(each, naming)(key)))].join(' · ');

  return {
    locale,
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
          return late ? lateNotice(read, use, rule, namesOf(late)) : firstNotice(read, use, rule);
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
    spokenNotice: (
      use: ListeningUse,
      rule: ConsentRule,
      isLate: boolean,
      spoken: string,
    ): string => {
      const read = texts.in(spoken, naming);
      if (use !== 'captions') return read('room.spoken-listens');
      if (isLate) return read('room.spoken-notice-late');
      return read(rule === 'told' ? 'room.spoken-notice' : 'room.spoken-notice-agreed');
    },
    /** The heading above captions that are shown elsewhere. */
    captionsOf: (room: Channel): Content =>
      note(t('room.captions-of', { channel: channelMention(room) })),
    captionsMoved: (to: Channel): Content =>
      note(t('room.captions-moved', { channel: channelMention(to) })),
    inaudible: (name: string): Content => note(t('room.cannot-hear', { name: quotedWords(name) })),
    audibleAgain: (name: string): Content =>
      note(t('room.hears-again', { name: quotedWords(name) })),
    leftInaudible: (name: string): Content =>
      note(t('room.left-unheard', { name: quotedWords(name) })),
    /** The note that speech cannot be transcribed now. */
    trouble: (error: AppError): Content => {
      const { code } = error;
      if (code === 'rate-limited') return note(t('room.trouble-busy'));
      if (code === 'unavailable' || code === 'timeout') return note(t('room.trouble-away'));
      return note(t('room.not-recognised', { reason: reasonOf(t, error) }));
    },
    /** The note on lines that were lost between two times, in ms since 1970. */
    linesLost: (count: number, fromMs: number, toMs: number): Content => {
      return note(t('room.lines-lost', { count, ...timesOf(fromMs, toMs) }));
    },
    /** The note on a restart between two times, in ms since 1970, after which captions go on. */
    restarted: (fromMs: number, toMs: number): Content =>
      note(t('room.restarted', timesOf(fromMs, toMs))),
    /** The mark of a restart in a transcript. */
    restartedHere: (): string => words('room.restarted-here'),
    /** The note that the bot did not come back after a restart. */
    notBack: (sinceMs: number, reason: NotBackReason): Content =>
      note(
        t('room.not-back', {
          since: shortTime(sinceMs),
          reason: reason instanceof AppError ? reasonOf(t, reason) : t(reason),
        }),
      ),
    stopping: (): RichText => t('room.stopping'),
    /** The same in a transcript, where they were spoken. */
    linesLostHere: (count: number): string => words('room.lines-lost-here', { count }),
    /** The note on lines that were not shown in a channel between two times, in ms since 1970. */
    linesUnshown: (count: number, fromMs: number, toMs: number): Content =>
      note(t('room.lines-unshown', { count, ...timesOf(fromMs, toMs) })),
    /** A note about a room, for the member who started its captions. */
    toStarter: (room: Channel, text: RichText): Content =>
      note(t('room.to-starter', { channel: channelMention(room), note: text })),
    withheld: (name: string): Content => note(t('room.withheld', { name: quotedWords(name) })),
    missed: (ms: number): Content => note(t('room.missed', { count: Math.round(ms / 1_000) })),
    status: (key: RoomStatus): Content => note(t(key)),
    failed: (key: RoomFailure, error: AppError): Content =>
      note(t(key, { reason: reasonOf(t, error) })),
    foreignVoice: (language: string): Content =>
      note(t('room.foreign-voice', { language: { language } })),
    dropped: (count: number): Content => note(t('room.dropped', { count })),
    question: (name: string, question: string): RichText =>
      t('room.heard-you', { name: quotedWords(name), question: quotedWords(question) }),
    ended: (error: AppError): RichText => reasonOf(t, error),
    /** The note on what moderators keep the bot from. */
    restricted: (error: AppError): Content => note(reasonOf(t, error)),
    captionsEnded: (count: number, durationMs: number): RichText =>
      t('room.captions-ended', { count, duration: minutesAndSeconds(durationMs) }),
    /** The words that are spoken in place of files. */
    files: (count: number): string => words('room.file', { count }),
    threadName: (): string => words('room.thread-name'),
    untranslated: (language: string): string =>
      words('room.untranslated', { language: { language } }),
    captionsDropped: (count: number): string => words('room.lines-dropped', { count }),
    /** The progress of a summary in that language, and the note that its beginning is missing. */
    summaryIn: (language: string) => {
      const read = texts.in(language, naming);
      return {
        reading: (part: number, parts: number): string =>
          read('room.summary-part', { part, parts }),
        leftOut: read('room.summary-cut'),
      };
    },
  };
};
