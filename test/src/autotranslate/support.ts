import { serviceKeyOf } from '../../fakes/asker.ts';
import { realTexts as texts } from '../../fakes/texts.ts';
import { createServiceKey } from '../../../src/api/keys.ts';
import { serviceError } from '../../../src/api/service-error.ts';
import { NO_SPACE } from '../../../src/model/service.ts';
import { realClock, sleep } from '../../../src/async/clock.ts';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import type { Channel, Space, Member } from '../../../src/model/place.ts';
import type { Message, MessageFile } from '../../../src/model/message.ts';
import type { RichText } from '../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import type { ChannelWatch } from '../../../src/model/space.ts';
import type { Watches } from '../../../src/model/watches.ts';
import { type Privacy, createPrivacy } from '../../../src/store/privacy/person-data.ts';
import { type SpaceSettings, createSpaceSettings } from '../../../src/store/settings.ts';
import type { Translator } from '../../../src/translation/translator.ts';
import { createMetrics, type Metrics } from '../../../src/ops/metrics.ts';
import { createUsage, type Usage } from '../../../src/store/usage.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { openSpaceData } from '../../../src/store/privacy/space-data.ts';
import { createAuthorsOf } from '../../../src/autotranslate/asked/authors.ts';
import type { AutoTranslate } from '../../../src/autotranslate/index.ts';
import { createMirrorStore } from '../../../src/store/channels/mirrors.ts';
import { channel, createFakeFeed, type FakeFeed } from '../../fakes/channel-feed.ts';
import { mirrorOf, openTestAutoTranslate, plainTranslator } from '../../fakes/autotranslate.ts';

export const GENERAL = channel('general');
export const ENGLISH = channel('english');
export const SPANISH = channel('spanish');
export const JAPANESE = channel('japanese');

/** The space of another platform, where every command stands under one. */
export const WORKSPACE: Space = { platform: 'other', id: 'workspace' };
export const NAMING = 'under interpreter';

/** English, Spanish and Japanese, copied into each other. */
export const linked = (): ChannelWatch[] =>
  mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [JAPANESE, 'ja']);

/** Spanish, linked with another channel than those. */
export const otherGroup: ChannelWatch[] = mirrorOf([SPANISH, 'es'], [channel('other'), 'fr']).map(
  (watch) => ({ ...watch, group: 'other' }),
);

/** An audio file in which this is said. */
export const audio = (words: string): MessageFile => ({
  id: words,
  name: 'talk.ogg',
  mediaType: 'audio/ogg',
  sizeBytes: words.length,
  async *open() {
    yield Buffer.from(words);
  },
});

/** A voice message of five minutes. */
export const recording = (words: string): MessageFile => ({
  ...audio(words),
  voice: { durationMs: 300_000, loudness: [] },
});

/** Watched channels over a store in memory, on a platform in memory. */
export interface Scene {
  readonly feed: FakeFeed;
  /** Another platform, of which `WORKSPACE` is a space. */
  readonly other: FakeFeed;
  readonly store: Store;
  readonly listener: AutoTranslate['listener'];
  readonly watches: Watches;
  readonly endedWatches: AutoTranslate['endedWatches'];
  readonly inbox: AutoTranslate['inbox'];
  readonly blocks: AutoTranslate['blocks'];
  readonly spaces: SpaceSettings;
  readonly privacy: Privacy;
  readonly usage: Pick<Usage, 'today' | 'todayOf' | 'todayEverywhere'>;
  /** The operator’s limits of each person. */
  readonly personLimits: { characters?: number };
  /** How far the clocks are ahead of the real one, and by how much the wall clock was set back. */
  readonly clock: { aheadMs: number; setBackMs: number };
  /** Takes the bot's removal from a space. */
  leave(space: Space): Promise<void>;
  forget(person: Pick<Member, 'platform' | 'id'>): Promise<void>;
  authorsOf: ReturnType<typeof createAuthorsOf>;
  modelsOf: AutoTranslate['modelsOf'];
  idle(): Promise<void>;
  /** Lets a minute pass after all that can be done was done; what waited for it is done then. */
  later(): Promise<void>;
  /** Ends this life of the program, and begins the next on the same store. */
  restart(): Promise<void>;
  /** Says something that is reported at once. */
  say(to: Channel, text: string | RichText, part?: Partial<Message>): Promise<Message>;
  /** Lets nothing be made of a text, written or heard, until the result is called, or it is given up. */
  hold(text: string): () => void;
  /** What translations of a text meet instead, one after the other. */
  readonly faults: Map<string, AppError[]>;
  /** Texts at which our own code fails. */
  readonly broken: Set<string>;
  /** Texts that the service fails at for ever. */
  readonly poisoned: Set<string>;
  /** Languages into which the service can translate nothing. */
  readonly down: Set<string>;
  /** What own keys of the service meet, by the id of the space that brought one; undefined where they work. */
  readonly ownKeys: Map<string, AppError | 'hangs' | undefined>;
  /** The fault of every translation; undefined where there is none. */
  readonly service: { fault: AppError | undefined };
  /** What each text was translated with. */
  readonly contexts: ReadonlyMap<string, readonly string[]>;
  /** How often each language was asked for, and probed as `probe es`. */
  readonly asked: ReadonlyMap<string, number>;
  /** What was logged, as JSON. */
  readonly logged: readonly string[];
  /** What was measured in this life of the program. */
  readonly metrics: Metrics;
  /** How each message ended, by its id. */
  outcomes(): Promise<Record<string, string>>;
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

const openScene = async (): Promise<Scene & AsyncDisposable> => {
  const [feed, other] = [createFakeFeed(), createFakeFeed(WORKSPACE, NAMING, 'messages')];
  const store = await openStore('sqlite::memory:');
  const [spaces, privacy] = [createSpaceSettings(store), createPrivacy(store)];
  const faults = new Map<string, AppError[]>();
  const poisoned = new Set<string>();
  const broken = new Set<string>();
  const down = new Set<string>();
  const ownKeys: Scene['ownKeys'] = new Map();
  const service: Scene['service'] = { fault: undefined };
  const gates = new Map<string, Promise<void>>();
  const contexts = new Map<string, readonly string[]>();
  const asked = new Map<string, number>();
  const personLimits: Scene['personLimits'] = {};
  const clock = { aheadMs: 0, setBackMs: 0 };
  const logged: string[] = [];

  const translator: Translator = {
    async *translate(request, signal) {
      const { text, to, place, context = [] } = request;
      const counted = place === NO_SPACE ? `probe ${to}` : to;
      asked.set(counted, (asked.get(counted) ?? 0) + 1);
      const words = plainText(text);
      contexts.set(words, context);
      if (gates.has(words)) await Promise.race([gates.get(words), aborted(signal)]);
      signal.throwIfAborted();
      if (broken.has(words)) throw new TypeError(words);
      const own = ownKeys.get(('space' in place ? place.space : place).id);
      // Requests have a deadline.
      if (own === 'hangs') await sleep(realClock, 60_000, signal);
      if (own) throw own === 'hangs' ? new AppError('unavailable', own, { retryable: true }) : own;
      if (service.fault) throw service.fault;
      if (down.has(to) || poisoned.has(words))
        throw new AppError('unavailable', 'the service answered 500', { retryable: true });
      const fault = faults.get(words)?.shift();
      if (fault) throw fault;
      return yield* plainTranslator.translate(request, signal);
    },
  };
  let metrics = createMetrics();
  const open = async (): Promise<AutoTranslate> => {
    metrics = createMetrics();
    const opened = await openTestAutoTranslate(store, {
      translator,
      serviceKeyOf: async (space) =>
        ownKeys.has(space.id)
          ? createServiceKey(`svck:${space.id}`, { isOwn: true })
          : serviceKeyOf(),
      spaces,
      privacy,
      operator: { space: {}, person: personLimits },
      hearing: (words) => gates.get(words),
      now: () => Date.now() + clock.aheadMs - clock.setBackMs,
      nowMs: () => Date.now() + clock.aheadMs,
      metrics,
      log: createLog('debug', { write: (line) => void logged.push(line) }),
    });
    for (const { platform } of [feed, other]) opened.attach(platform);
    return opened;
  };
  let watching = await open();

  return {
    feed,
    other,
    store,
    spaces,
    privacy,
    personLimits,
    usage: createUsage(store),
    clock,
    faults,
    poisoned,
    broken,
    down,
    ownKeys,
    service,
    contexts,
    asked,
    logged,
    get listener() {
      return watching.listener;
    },
    get blocks() {
      return watching.blocks;
    },
    get watches() {
      return watching.watches;
    },
    get endedWatches() {
      return watching.endedWatches;
    },
    get metrics() {
      return metrics;
    },
    get inbox() {
      return watching.inbox;
    },
    leave: (space) => watching.leave(space, async () => (await openSpaceData(store)).remove(space)),
    forget: (person) => watching.forget(person),
    authorsOf: createAuthorsOf({
      store,
      stored: createMirrorStore(store, Date.now),
      platforms: { of: ({ space }) => (space.platform === WORKSPACE.platform ? other : feed) },
    }),
    modelsOf: (ref) => watching.modelsOf(ref),
    idle: () => watching.idle(),
    later: async () => {
      await watching.idle();
      clock.aheadMs += 60_000;
      vi.advanceTimersByTime(60_000);
      await watching.idle();
    },
    restart: async () => {
      await watching[Symbol.asyncDispose]();
      watching = await open();
    },
    say: async (to, text, part = {}) => {
      const on = to.space.platform === WORKSPACE.platform ? other : feed;
      const message = on.say(to, text, part);
      await watching.listener.messageChanged(message);
      return message;
    },
    hold: (text) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.set(text, promise);
      return resolve;
    },
    outcomes: async () => {
      const rows = await store.selectFrom('inbox').selectAll().orderBy('position').execute();
      return Object.fromEntries(
        rows.map(({ message_id: id, state, reason }) => [
          id,
          reason ? `${state} ${reason}` : state,
        ]),
      );
    },
    [Symbol.asyncDispose]: async () => {
      await watching[Symbol.asyncDispose]();
      await store.destroy();
    },
  };
};

/** A new scene for each test. */
export const withScene = (watches: readonly ChannelWatch[] = []): Scene => {
  let opened: Scene & AsyncDisposable;
  beforeEach(async () => {
    // What waits for another try waits for the clock of the scene.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    opened = await openScene();
    if (watches.length > 0) await opened.watches.set(watches);
  });
  afterEach(async () => {
    await opened[Symbol.asyncDispose]();
    vi.useRealTimers();
    const { feed, other } = opened;
    expect([...feed.unguarded, ...other.unguarded]).toEqual([]);
  });
  return new Proxy({} as Scene, { get: (_, name: keyof Scene) => opened[name] });
};

/** The error of an answer with a status. */
export const refused = (status: number): AppError =>
  serviceError(status, undefined, '', createServiceKey('svck:any'));

/** Lets time pass until a message that fails for ever is given up. */
export const untilGivenUp = async (scene: Scene): Promise<void> => {
  for (let minutes = 0; minutes < 30; minutes += 1) await scene.later();
};

/** The reply to a message whose translation is tried again. */
export const notYet = (language: string): string =>
  `⚠️ ${texts.in(language)('autotranslate.not-yet')}`;
