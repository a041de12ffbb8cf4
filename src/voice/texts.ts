import type { AppError } from '../errors.ts';
import { say, type Texts, type Translate } from '../i18n.ts';
import { channelMention } from '../model/mention.ts';
import type { Channel } from '../model/place.ts';
import type { Content } from '../model/content.ts';
import type { ConsentRule } from '../model/space-choices.ts';
import type { RoomMember } from '../ports/voice.ts';
import type { ListeningPurpose } from './listening-mode.ts';
import type { AnnouncerTexts } from './tts/announcer.ts';
import { minutesAndSeconds } from '../text/time-of-day.ts';
import { plainLine } from '../text/markup/plain-line.ts';
import type { SpokenWords } from '../text/speech/spoken-spans.ts';

/** What we say and show in a room ourselves, in its language. */
export interface RoomTexts {
  readonly locale: string;
  readonly words: AnnouncerTexts;
  readonly spokenWords: (language: string | undefined) => SpokenWords;
  /** `late`: for these alone, by their names. */
  notice(
    purpose: ListeningPurpose,
    rule: ConsentRule,
    late: readonly RoomMember[] | undefined,
  ): Content;
  spokenNotice(purpose: ListeningPurpose, rule: ConsentRule, isLate: boolean): string;
  /** Above captions that are shown elsewhere. */
  captionsOf(room: Channel): Content;
  captionsMoved(to: Channel): Content;
  cannotHear(name: string): Content;
  hearsAgain(name: string): Content;
  leftUnheard(name: string): Content;
  missed(ms: number): Content;
  note(key: RoomNote): Content;
  failed(key: RoomFailure, error: AppError): Content;
  dropped(count: number): Content;
  heardYou(name: string, question: string): string;
  ended(error: AppError): string;
  captionsEnded(count: number, durationMs: number): string;
  /** To be spoken. */
  readonly files: (count: number) => string;
  threadName(): string;
  readonly untranslated: (language: string) => string;
  readonly linesDropped: (count: number) => string;
  /** For who reads a summary in that language: how far it is, and that it lacks the beginning. */
  readonly summaryIn: (language: string) => {
    readonly reading: (part: number, parts: number) => string;
    readonly leftOut: string;
  };
}

export type RoomNote =
  | 'room.reconnecting'
  | 'room.reconnected'
  | 'room.recognised-again'
  | 'room.told'
  | 'room.shown-again'
  | 'room.left';
export type RoomFailure =
  | 'room.not-recognised'
  | 'room.untold'
  | 'room.not-shown'
  | 'room.not-said'
  | 'room.not-answered'
  | 'room.captions-limit';

/** What the sentence of an error says, to be put into another sentence. */
const reasonOf = (t: Translate, { sentence }: AppError): string =>
  sentence ? say(t, sentence) : t('errors.internal');

const note = (text: string): Content => ({ text, tone: 'note' });
const namesOf = (members: readonly RoomMember[]): string =>
  members.map(({ name }) => plainLine(name)).join(', ');

export const createRoomTexts = (
  texts: Texts,
  locale: string,
  naming: 'local' | 'plain',
): RoomTexts => {
  const t = texts.in(locale, naming);
  /** Words that stand in what is spoken are of the language that is spoken. */
  const spokenIn = (language: string | undefined): Translate => texts.in(language ?? locale);

  const listens = (purpose: Exclude<ListeningPurpose, 'captions'>, rule: ConsentRule): string =>
    [
      t(purpose === 'name' ? 'room.listens-name' : 'room.listens-voices'),
      t(rule === 'told' ? 'room.may-refuse' : 'room.may-agree'),
    ].join(' ');
  const firstNotice = (purpose: ListeningPurpose, rule: ConsentRule): string => {
    if (purpose !== 'captions') return listens(purpose, rule);
    return t(rule === 'told' ? 'room.notice' : 'room.notice-agreed');
  };
  const lateNotice = (purpose: ListeningPurpose, rule: ConsentRule, names: string): string => {
    if (purpose !== 'captions')
      return t('room.notice-to', { names, notice: listens(purpose, rule) });
    return t(rule === 'told' ? 'room.notice-late' : 'room.notice-late-agreed', { names });
  };

  return {
    locale,
    words: {
      says: (name, language) => spokenIn(language)('room.says', { name }),
      somebody: (language) => spokenIn(language)('room.somebody'),
      andSoOn: (language) => spokenIn(language)('room.and-so-on'),
    },
    spokenWords: (language) => {
      const spoken = spokenIn(language);
      return {
        link: spoken('room.link'),
        code: spoken('room.code'),
        spoiler: spoken('room.spoiler'),
      };
    },
    notice: (purpose, rule, late) => ({
      text: late ? lateNotice(purpose, rule, namesOf(late)) : firstNotice(purpose, rule),
      controls: [
        {
          kind: 'button',
          press: 'captions in',
          label: t(purpose === 'captions' ? 'room.caption-me' : 'room.listen-to-me'),
        },
        { kind: 'button', press: 'captions out', label: t('room.leave-me-out') },
      ],
    }),
    spokenNotice: (purpose, rule, isLate) => {
      if (purpose !== 'captions') return t('room.spoken-listens');
      if (isLate) return t('room.spoken-notice-late');
      return t(rule === 'told' ? 'room.spoken-notice' : 'room.spoken-notice-agreed');
    },
    captionsOf: (room) => note(t('room.captions-of', { channel: channelMention(room) })),
    captionsMoved: (to) => note(t('room.captions-moved', { channel: channelMention(to) })),
    cannotHear: (name) => note(t('room.cannot-hear', { name: plainLine(name) })),
    hearsAgain: (name) => note(t('room.hears-again', { name: plainLine(name) })),
    leftUnheard: (name) => note(t('room.left-unheard', { name: plainLine(name) })),
    missed: (ms) => note(t('room.missed', { count: Math.round(ms / 1_000) })),
    note: (key) => note(t(key)),
    failed: (key, error) => note(t(key, { reason: reasonOf(t, error) })),
    dropped: (count) => note(t('room.dropped', { count })),
    heardYou: (name, question) =>
      t('room.heard-you', { name: plainLine(name), question: plainLine(question) }),
    ended: (error) => reasonOf(t, error),
    captionsEnded: (count, durationMs) =>
      t('room.captions-ended', { count, duration: minutesAndSeconds(durationMs) }),
    files: (count) => t('room.file', { count }),
    threadName: () => t('room.thread-name'),
    untranslated: (language) => t('room.untranslated', { language: { language } }),
    linesDropped: (count) => t('room.lines-dropped', { count }),
    summaryIn: (language) => {
      const read = texts.in(language, naming);
      return {
        reading: (part, parts) => read('room.summary-part', { part, parts }),
        leftOut: read('room.summary-cut'),
      };
    },
  };
};
