import { AppError } from '../../../../src/errors.ts';
import type { Content } from '../../../../src/model/message.ts';
import type { Channel, Posted } from '../../../../src/model/place.ts';
import { plainWords } from '../../../../src/rich-text/compose.ts';
import { markdownOf } from '../../../fakes/rich-text.ts';
import type { LineTranslation } from '../../../../src/translation/fan-out.ts';
import {
  createCaptionMessages,
  type CaptionMessagesDeps,
} from '../../../../src/voice/captions/caption-messages.ts';
import {
  type Caption,
  type CaptionTranslation,
  createTranscript,
  type TranscriptLine,
} from '../../../../src/voice/captions/caption.ts';
import { createCaptions } from '../../../../src/voice/captions/captions.ts';
import type { EditRate } from '../../../../src/ports/voice.ts';
import type { TranslateCaption } from '../../../../src/voice/captions/translations.ts';
import type { TranscriptEvent } from '../../../../src/voice/stt/transcript-emitter.ts';
import type { Log } from '../../../../src/telemetry/log.ts';
import { createTestClock, type TestClock } from '../../../fakes/clock.ts';

export const PACE_MS = 1_000;
export const RATE: EditRate = { count: 1, windowMs: PACE_MS };
const LONGEST_CONTENT_CHARS = 2_000;

export const quiet = { warn: () => {} };

export interface Sent {
  readonly kind: 'post' | 'edit' | 'remove';
  readonly id: string;
  readonly text: string;
  /** When it arrived. */
  readonly atMs: number;
}

export interface ChannelOptions {
  /** How long the next request is on its way there, and its answer back. */
  latencyMs?: () => number;
  /** What the next request is answered with when it arrives; nothing of it is done then. */
  refuse?: (kind: Sent['kind']) => AppError | undefined;
}

/** A channel that takes one request at a time, and so many edits and posts as its rate says. */
export const createChannel = (
  clock: TestClock,
  options: ChannelOptions = {},
  rate: EditRate = RATE,
) => {
  const messages = new Map<string, string>();
  const sent: Sent[] = [];
  const faults: string[] = [];
  let inFlight = 0;
  let ids = 0;

  const travel = async (): Promise<void> => {
    const ms = options.latencyMs?.() ?? 0;
    if (ms > 0) await new Promise<void>((resolve) => void clock.after(ms, resolve));
  };

  const arrive = (kind: Sent['kind'], id: string, text: string): void => {
    const nowMs = clock.nowMs();
    sent.push({ kind, id, text, atMs: nowMs });
    const recent = sent.filter((one) => one.kind === kind && nowMs - one.atMs < rate.windowMs);
    if (kind !== 'remove' && recent.length > rate.count) faults.push(`too many times ${kind}`);
    if (kind !== 'remove' && (text === '' || text.length > LONGEST_CONTENT_CHARS))
      faults.push(`${text.length} characters`);
    const refused = options.refuse?.(kind);
    if (refused) throw refused;
    if (kind !== 'post' && !messages.has(id)) throw new AppError('not-found', 'no such message');
  };

  const request = async (kind: Sent['kind'], id: string, text: string): Promise<void> => {
    inFlight += 1;
    if (inFlight > 1) faults.push('two requests at once');
    try {
      await travel();
      arrive(kind, id, text);
      if (kind === 'remove') messages.delete(id);
      else messages.set(id, text);
      await travel();
    } finally {
      inFlight -= 1;
    }
  };

  const channel = { space: { platform: 'test', id: 's' }, id: 'c' };
  return {
    channel,
    messages,
    sent,
    faults,
    /** What people see, from the first message to the last. */
    shown: (): string[] => [...messages.values()],
    /** The lines of captions without words of their own, in the order in which people see them. */
    lines: (): readonly string[] => [...messages.values()].join('\n').match(/line \d+/g) ?? [],
    post: async (_to: Channel, { text }: Content): Promise<Posted> => {
      ids += 1;
      const id = `m${ids}`;
      await request('post', id, markdownOf(text));
      return { channel, ids: [id] };
    },
    edit: async (posted: Posted, { text }: Content): Promise<Posted> => {
      await request('edit', posted.ids[0], markdownOf(text));
      return posted;
    },
    delete: async (posted: Posted): Promise<void> => request('remove', posted.ids[0], ''),
  };
};

export const translated = (
  all: Readonly<Record<string, string | Partial<CaptionTranslation>>>,
): ReadonlyMap<string, CaptionTranslation> =>
  new Map(
    Object.entries(all).map(([language, given]) => [
      language,
      typeof given === 'string' ? { text: given, done: true } : { text: '', done: false, ...given },
    ]),
  );

export const caption = (id: number, more: Partial<Caption> = {}): Caption => ({
  id,
  speakerId: 'a',
  name: 'Ann',
  startMs: id * 10_000,
  endMs: id * 10_000 + 1_000,
  text: `line ${id}.`,
  language: 'en',
  isFinal: true,
  translations: new Map(),
  ...more,
});

/** A caption of this moment, of a speaker of its own. */
export const saidNow = (clock: TestClock, id: number): Caption =>
  caption(id, { startMs: clock.nowMs(), endMs: clock.nowMs(), speakerId: `s${id}` });

export const spoken = (more: Partial<TranscriptLine> = {}): TranscriptLine => ({
  startMs: 0,
  endMs: 1_000,
  speaker: 'Ann',
  language: 'en',
  text: 'Hello.',
  translations: {},
  ...more,
});

/** Lets time pass until a promise is settled. */
export const pass = async <T>(
  clock: TestClock,
  promise: PromiseLike<T>,
  stepMs = 250,
): Promise<T> => {
  const state = { isOver: false };
  const end = (): void => void (state.isOver = true);
  promise.then(end, end);
  for (let step = 0; !state.isOver; step += 1) {
    if (step > 2_000) throw new Error('it does not end');
    await clock.advance(stepMs);
  }
  return await promise;
};

/** What a translation into one language does; by default it is there at once. */
export interface TranslationPlan {
  readonly delayMs?: number;
  /** Steps that it grows in before it is whole. */
  readonly steps?: number;
  readonly outcome?: 'done' | 'error' | 'nothing' | 'never';
}

/** Translates `x` into `[en] x`, and counts what it is asked. */
export const createTranslating = (
  clock: TestClock,
  planFor: (text: string, language: string) => TranslationPlan = () => ({}),
) => {
  const asked: { text: string; language: string; context: readonly string[] }[] = [];
  const running = { now: 0, most: 0, aborted: 0 };

  const into = async function* (
    text: string,
    language: string,
    signal: AbortSignal,
  ): AsyncGenerator<LineTranslation, void, void> {
    const { delayMs = 0, steps = 0, outcome = 'done' } = planFor(text, language);
    for (let step = 0; step <= steps; step += 1) {
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        if (outcome !== 'never') clock.after(delayMs, resolve);
      });
      const whole = `[${language}] ${text}`;
      if (step < steps) yield { language, text: plainWords(whole.slice(0, 4 + step)), done: false };
      else if (outcome === 'done') yield { language, text: plainWords(whole), done: true };
      else if (outcome === 'error')
        yield {
          language,
          text: [],
          done: true,
          error: new AppError('unavailable', 'no translation', { retryable: true }),
        };
    }
  };

  const translate: TranslateCaption = async function* ({ text, context }, languages, signal) {
    for (const language of languages) {
      asked.push({ text, language, context });
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      try {
        yield* into(text, language, signal);
      } finally {
        running.now -= 1;
        if (signal.aborted) running.aborted += 1;
      }
    }
  };
  return { translate, asked, running };
};

/** Dependencies that the displays of all tests share. */
export const displayDeps = { editRate: RATE, log: quiet } as const;

/** A display over a channel of its own. */
export const openDisplay = (
  options: ChannelOptions = {},
  deps: Partial<CaptionMessagesDeps> = {},
) => {
  const clock = createTestClock();
  const channel = createChannel(clock, options);
  const place = { platform: channel, channel: channel.channel };
  const display = createCaptionMessages({ ...displayDeps, clock, ...place, ...deps });
  return { clock, channel, display };
};

/** What a channel says that is not there for now. */
export const away = new AppError('unavailable', 'away', { retryable: true });

const NAMES: Readonly<Record<string, string>> = { a: 'Ann', b: 'Ben', c: 'Cy' };

/** Captions on one display and in a transcript. */
export const openCaptions = ({
  plan,
  channelOptions,
  language,
  log = quiet,
}: {
  readonly plan?: (text: string, language: string) => TranslationPlan;
  readonly channelOptions?: ChannelOptions;
  /** The one language of the display. */
  readonly language?: string;
  readonly log?: Pick<Log, 'warn'>;
} = {}) => {
  const { clock, channel, display } = openDisplay(channelOptions, language ? { language } : {});
  const translating = createTranslating(clock, plan);
  const transcript = createTranscript({ clock, startedMs: 0 });
  const displays = new Set([display]);
  let lastId = 10_000;
  const captions = createCaptions({
    clock,
    nameOf: (id) => NAMES[id] ?? id,
    nextId: () => (lastId += 1),
    translate: translating.translate,
    displays,
    transcript,
    log,
  });
  return { clock, channel, ...translating, display, displays, transcript, captions };
};

export const START_MS = 1_000_000;

/** The words `w1`, final and in English, of Ann; one line every ten seconds. */
export const line = (id: number, more: Partial<TranscriptEvent> = {}): TranscriptEvent => ({
  id,
  speakerId: 'a',
  startMs: START_MS + id * 10_000,
  endMs: START_MS + id * 10_000 + 1_000,
  text: `w${id}`,
  language: 'en',
  isFinal: true,
  ...more,
});
