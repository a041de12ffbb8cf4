import type { Channel } from '../model/place.ts';
import { type Cache, createCache } from '../async/lru.ts';
import { type Clock, waitUntil } from '../async/clock.ts';
import type { ConsentChoice, InformedMembers } from '../model/room.ts';
import type { Recogniser, RecogniserFactory } from '../ports/recogniser.ts';
import type { RoomMember, VoiceLink, VoicePacket } from '../ports/voice.ts';
import { type Consent, type ConsentDeps, createConsent } from './consent/consent.ts';
import type { Notice } from './consent/notice.ts';
import type { ListeningMode } from './listening-mode.ts';
import type { RoomContext, VoiceServices } from './room-types.ts';
import { createSttPipeline, type SttPipeline, type SttPipelineHints } from './stt/pipeline.ts';
import type { TranscriptListener } from './stt/transcript-emitter.ts';
import { wordsOfTerm } from '../text/terms/term-index.ts';
import { wordUnits } from '../text/word-units.ts';

export interface SubscriptionDeps extends Pick<
  ConsentDeps,
  'clock' | 'choiceOf' | 'informedChanged' | 'notInformed'
> {
  readonly subscribe: VoiceLink['subscribe'];
  readonly people: () => readonly RoomMember[];
  readonly openPipeline: OpenPipeline;
  /** Makes the notice that informs people of a listening mode. */
  readonly noticeOf: (mode: ListeningMode, isPosted: boolean) => Notice;
  /** Members who were informed before a restart. */
  readonly informed?: InformedMembers | undefined;
}

const LAST_TRANSCRIPTS_MS = 5_000;

/** Recognises nothing: for a use that needs no text. */
const noRecogniser: Recogniser = {
  growEveryMs: 0,
  start: () => ({
    grow: () => undefined,
    finish: async () => ({ text: '', language: '', confidence: 0 }),
  }),
};

/** Opens a pipeline for a use of speech. */
export type OpenPipeline = (
  mode: Omit<ListeningMode, 'rule'>,
  listener: TranscriptListener,
) => SttPipeline;

export interface PipelineOpenerDeps {
  readonly room: Pick<RoomContext, 'channel' | 'clock' | 'log'>;
  readonly createRecogniser: RecogniserFactory;
  readonly hints: (speakerId: string) => Promise<SttPipelineHints>;
  /** Makes the id of a further utterance. */
  readonly nextId: () => number;
}

export const createPipelineOpener =
  ({ room, createRecogniser, hints, nextId }: PipelineOpenerDeps): OpenPipeline =>
  ({ use, partials, pauseMs }, listener) =>
    createSttPipeline({
      recogniser:
        use === 'barge-in'
          ? noRecogniser
          : createRecogniser({ partials, space: room.channel().space }),
      clock: room.clock,
      listener,
      hints,
      options: { nextId, ...(pauseMs === undefined ? {} : { hangoverMs: pauseMs }) },
      log: room.log,
    });

interface Current extends ListeningMode {
  readonly notice: Notice;
  readonly consent: Consent;
  readonly pipeline: SttPipeline;
}

/** The use and the rule of which people are informed. */
const purposeOf = ({ use, rule }: ListeningMode): string => `${use} ${rule}`;

/** Listens to members who consented, for the use of which they were informed. */
export const createSubscription = (deps: SubscriptionDeps) => {
  const { clock, people, choiceOf, openPipeline, noticeOf, informedChanged, notInformed } = deps;
  /** Members who were informed before a restart, until their use begins again. */
  let { informed: restored } = deps;
  let current: Current | undefined;
  let consenting: readonly string[] = [];
  /** Members who ask a question, with the number of their questions. */
  const asking = new Map<string, number>();
  let questions: SttPipeline | undefined;
  /** Pipelines that accept no more packets and still emit transcripts. */
  const ending = new Set<SttPipeline>();

  const apply = (): void => deps.subscribe([...new Set([...consenting, ...asking.keys()])]);
  const openConsent = (mode: ListeningMode): Pick<Current, 'notice' | 'consent'> => {
    const informed = restored?.of === purposeOf(mode) ? restored.memberIds : undefined;
    if (informed) restored = undefined;
    const notice = noticeOf(mode, informed !== undefined);
    const consent = createConsent({
      rule: mode.rule,
      clock,
      choiceOf,
      inform: notice.inform,
      subscribe: (memberIds) => {
        consenting = memberIds;
        apply();
      },
      informed,
      informedChanged,
      notInformed,
    });
    return { notice, consent };
  };
  const finish = async (pipeline: SttPipeline, patienceMs: number): Promise<void> => {
    ending.add(pipeline);
    await waitUntil(clock, clock.nowMs() + patienceMs, pipeline.settled());
    ending.delete(pipeline);
    await pipeline[Symbol.asyncDispose]();
  };

  /** True when a member's speech is for the use of the room, not for a question alone. */
  const isForRoom = (memberId: string): boolean =>
    current !== undefined &&
    (!asking.has(memberId) ||
      (current.use !== 'barge-in' && current.consent.isSubscribed(memberId)));

  /** True when a member's words are captioned. */
  const isCaptioned = (memberId: string): boolean =>
    current?.use === 'captions' && current.consent.isSubscribed(memberId);

  const endQuestion = (memberId: string): void => {
    const others = (asking.get(memberId) ?? 0) - 1;
    if (others > 0) {
      asking.set(memberId, others);
      return;
    }
    asking.delete(memberId);
    apply();
    questions?.forget(memberId);
    if (asking.size > 0) return;
    void questions?.[Symbol.asyncDispose]();
    questions = undefined;
  };

  return {
    packet: (packet: VoicePacket): void =>
      (isForRoom(packet.speakerId) ? current?.pipeline : questions)?.packet(packet),
    peopleChanged: (): void => current?.consent.present(people()),
    isCaptioned,
    /** Informs people again, soon, who could not be informed. */
    retry: (): void => current?.consent.retry(),
    /** Members who are informed of the current use. */
    informed: (): InformedMembers | undefined =>
      current && { of: purposeOf(current), memberIds: current.consent.informed() },
    chosen: (memberId: string, choice: ConsentChoice): void => {
      current?.consent.chosen(memberId, choice);
      if (choice !== 'refused') return;
      current?.pipeline.forget(memberId);
      for (const pipeline of ending) pipeline.forget(memberId);
      if (!asking.has(memberId)) return;
      asking.set(memberId, 1);
      endQuestion(memberId);
    },
    /**
     * Changes the listening mode; undefined stops listening. Transcripts of the previous use still go
     * to its own listener: resolves when they were emitted, or after `patienceMs`.
     */
    listen: async (
      mode: ListeningMode | undefined,
      listener: TranscriptListener,
      patienceMs: number = LAST_TRANSCRIPTS_MS,
    ): Promise<void> => {
      const before = current;
      const isSameUse = before?.use === mode?.use && before?.rule === mode?.rule;
      if (isSameUse && before?.partials === mode?.partials && before?.pauseMs === mode?.pauseMs)
        return;
      if (isSameUse && before && mode) {
        // People are already informed of this use.
        const { notice, consent } = before;
        current = { ...mode, notice, consent, pipeline: openPipeline(mode, listener) };
      } else {
        before?.consent[Symbol.dispose]();
        before?.notice[Symbol.dispose]();
        current = mode && {
          ...mode,
          ...openConsent(mode),
          pipeline: openPipeline(mode, listener),
        };
        current?.consent.present(people());
        informedChanged();
      }
      if (before) await finish(before.pipeline, patienceMs);
    },
    /** Resolves when the notice for all who are present is posted; rejects when it cannot be. */
    noticePosted: async (): Promise<void> => current?.consent.posted(),
    /** Listens to a member who asked for it, informed or not, until the result is disposed of. */
    listenTo: (memberId: string, listener: TranscriptListener): Disposable => {
      asking.set(memberId, (asking.get(memberId) ?? 0) + 1);
      questions ??= openPipeline({ use: 'wake-word', partials: false }, listener);
      apply();
      let isOpen = true;
      return {
        [Symbol.dispose]: () => {
          if (isOpen && asking.has(memberId)) endQuestion(memberId);
          isOpen = false;
        },
      };
    },
  };
};

export interface HintsDeps {
  readonly services: Pick<VoiceServices, 'glossary' | 'settings'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly channel: () => Channel;
  readonly people: () => readonly RoomMember[];
  /** Languages of the captions' readers. */
  readonly languages: () => readonly string[];
  /** True where lines that are withheld elsewhere are shown. Default: false. */
  readonly showsAll?: () => boolean;
}

const MOST_HOTWORDS = 100;

/** Most hotwords that are names, however many terms there are. */
const MOST_NAMES = 50;

/** Largest room whose people's languages are looked up: in a larger one they say little. */
const MOST_ASKED = 50;

/** Time for which one read of the database serves all utterances. */
const FRESH_MS = 5_000;

/** Words behind each other, with one space around each. */
const spaced = (text: string): string =>
  ` ${wordUnits(text)
    .map(({ bare }) => bare)
    .join(' ')} `;

/** A name, and its first word, by which people are called. */
const formsOf = (name: string): readonly string[] =>
  [name, name.split(/\s/u)[0] ?? ''].map(spaced).filter((form) => form.trim() !== '');

/** Collects hints about a room: its glossary, its people and their languages. */
export const createHints = ({
  services,
  clock,
  channel,
  people,
  languages,
  showsAll = () => false,
}: HintsDeps) => {
  /** Ids of members whose names were said: others make recognisers hear names. */
  const named = new Set<string>();
  let readMs = -Infinity;
  const whenRead = (): number => {
    const nowMs = clock.nowMs();
    if (nowMs - readMs >= FRESH_MS) readMs = nowMs;
    return readMs;
  };
  const fresh = <Asked extends { readonly id: string }, Found>(
    read: (asked: Asked) => Promise<Found>,
    most: number,
  ): Cache<Asked, Found> => createCache(read, { keyOf: ({ id }) => `${whenRead()} ${id}`, most });
  const glossary = fresh(async (place: Channel) => services.glossary.applying(place), 1);
  const settings = fresh(
    async ({ id }: Pick<RoomMember, 'id'>) =>
      services.settings.of({ platform: channel().space.platform, id }),
    MOST_ASKED,
  );

  return {
    /** Looks up the hints for a speaker. */
    of: async (speakerId: string): Promise<SttPipelineHints> => {
      const here = people().filter(({ isBot }) => !isBot);
      const asked = here.length > MOST_ASKED ? [] : here;
      const [terms, speaker, ...others] = await Promise.all([
        glossary.of(channel()),
        ...[{ id: speakerId }, ...asked].map(settings.of),
      ]);
      const names = here.filter(({ id }) => named.has(id)).map(({ name }) => name);
      const said = names.slice(0, MOST_NAMES);
      const words = terms
        .map(({ term }) => wordsOfTerm(term))
        .slice(0, MOST_HOTWORDS - said.length);
      const own = others.flatMap(({ language }) => language ?? []);
      return {
        hotwords: [...new Set([...words, ...said])],
        languages: asked.length < here.length ? [] : [...new Set([...languages(), ...own])],
        language: speaker?.language,
        showsAll: showsAll(),
      };
    },
    /** Takes a line: the names in it are expected from then on. */
    said: (line: string): void => {
      const words = spaced(line);
      for (const { id, name } of people())
        if (formsOf(name).some((form) => words.includes(form))) named.add(id);
    },
  };
};
