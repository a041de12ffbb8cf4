import type { AppError } from '../errors.ts';
import { say, type Texts, type Translate, type TranslateRich } from '../i18n.ts';
import { sections, sentence as inOneSentence } from '../model/compose-rich-text.ts';
import { channelMention, type Channel } from '../model/place.ts';
import type { Content } from '../model/content.ts';
import { timestamp, type RichText } from '../model/rich-text.ts';
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
  | 'room.shown-again'
  | 'room.left';
export type RoomFailure =
  | 'room.untold'
  | 'room.not-shown'
  | 'room.not-said'
  | 'room.not-answered'
  | 'room.captions-limit';

/** The sentence of an error, to be put into another sentence. */
const reasonOf = (t: TranslateRich, { sentence }: AppError): RichText =>
  sentence ? say(t, sentence) : t('errors.internal');

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
export const createRoomTexts = (texts: Texts, locale: string, naming: 'local' | 'plain') => {
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
      const [from, to] = [fromMs, toMs].map((ms) => timestamp(Math.floor(ms / 1_000), 't'));
      return note(t('room.lines-lost', { count, from: from!, to: to! }));
    },
    /** The same in a transcript, where they were spoken. */
    linesLostHere: (count: number): string => words('room.lines-lost-here', { count }),
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
