import { randomUUID } from 'node:crypto';
import { realClock } from '../../src/async/clock.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { silentLog } from './silent-log.ts';
import { createMetrics, type Metrics } from '../../src/ops/metrics.ts';
import { NO_TRACING, type Tracing } from '../../src/telemetry/tracing.ts';
import { AppError } from '../../src/errors.ts';
import { sentence } from '../../src/rich-text/compose.ts';
import type { Channel } from '../../src/model/place.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import type { ChannelWatch } from '../../src/model/space.ts';
import type { Transcriber } from '../../src/speech/transcriber.ts';
import type { Translator } from '../../src/translation/translator.ts';
import type { Store } from '../../src/store/index.ts';
import { openEmbeddedLeases } from '../../src/store/sqlite/store.ts';
import { createSlotOwner } from '../../src/cluster/slot-owner.ts';
import { createPrivacy } from '../../src/store/privacy/person-data.ts';
import { createMemberSettings, createSpaceSettings } from '../../src/store/settings.ts';
import { createUsage } from '../../src/store/usage.ts';
import { createLimits } from '../../src/usage/limits.ts';
import type { OperatorLimits } from '../../src/usage/limits.ts';
import { createLanguageHistory } from '../../src/translation/language-history.ts';
import { languageText } from '../../src/text/message-checks.ts';
import { isBlank } from '../../src/text/unicode.ts';
import { findLanguage, languageName, searchLanguages } from '../../src/text/language/languages.ts';
import { serviceKeyOf as operatorsKeyOf } from './asker.ts';
import {
  openAutoTranslate,
  type AutoTranslate,
  type AutoTranslateDeps,
} from '../../src/autotranslate/index.ts';
import { realTexts as texts } from './texts.ts';

/** Hears the bytes of a file as its words; of what is long, the first minute at once. */
const transcriber = (gate: (words: string) => Promise<void> | undefined): Transcriber => ({
  async *transcribe({ audio, durationMs }) {
    let text = '';
    for await (const chunk of audio.open()) text += Buffer.from(chunk).toString();
    yield { text, transcribedMs: 60_000, totalMs: durationMs };
    await gate(text);
    if (text === '') throw new AppError('not-found', 'no speech was recognised in the audio');
    return { text, language: 'en', durationMs: 2_000, segments: [] };
  },
});

/**
 * `hello` becomes `es(hello)`; what begins with `es:` is Spanish already, `Taxi` the same in
 * every language, and `haha` in none.
 */
export const plainTranslator: Translator = {
  async *translate({ text, to, model: named, formality, exempt = [] }) {
    if (plainText(text).startsWith(`${to}:`))
      return { text, from: to, to, outcome: 'same-language' };
    if (plainText(text) === 'haha' || isBlank(languageText(text)))
      return { text, from: 'und', to, outcome: 'nothing-to-translate' };
    if (exempt.includes('en')) return { text, from: 'en', to, outcome: 'same-language' };
    const model = [named, formality].filter(Boolean).join(' ') || undefined;
    yield () => text;
    if (plainText(text) === 'Taxi') return { text, from: 'en', to, outcome: 'unchanged' };
    const translated = sentence(`${to}(`, text, ')');
    return {
      text: translated,
      from: 'en',
      to,
      outcome: 'translated',
      model: `${model ?? 'large'}-${to}`,
    };
  },
};

interface TestServices
  extends
    Pick<
      AutoTranslateDeps['services'],
      'translator' | 'settings' | 'spaces' | 'privacy' | 'serviceKeyOf'
    >,
    Required<Pick<AutoTranslateDeps, 'readyPlatforms'>>,
    Pick<NonNullable<AutoTranslateDeps['times']>, 'now' | 'nowMs'> {
  /** What keeps the rest of a recording of these words from being heard, if anything does. */
  readonly hearing: (words: string) => Promise<void> | undefined;
  readonly operator: OperatorLimits;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
}

/** Auto-translate over a store, with services that need none. */
export const openTestAutoTranslate = async (
  store: Store,
  {
    translator = plainTranslator,
    serviceKeyOf = operatorsKeyOf,
    settings = createMemberSettings(store),
    spaces = createSpaceSettings(store),
    privacy = createPrivacy(store),
    operator = { space: {}, person: {} },
    hearing = () => undefined,
    now = Date.now,
    nowMs = now,
    readyPlatforms = () => [],
    log = silentLog,
    metrics = createMetrics(),
    tracing = NO_TRACING,
  }: Partial<TestServices> = {},
): Promise<AutoTranslate> => {
  // Each is a process of its own: on SQLite, one comes after the other has ended.
  const leases =
    store.engine === 'sqlite' ? await openEmbeddedLeases(store, randomUUID()) : store.leases;
  const slots = createSlotOwner({ leases, log, clock: realClock });
  const opened = await openAutoTranslate({
    store,
    leases,
    slots,
    readyPlatforms,
    texts,
    days: { inbox: 7, mirrors: 365 },
    telemetry: { log, metrics, tracing },
    times: { now, nowMs, random: () => 0.5 },
    services: {
      serviceKeyOf,
      translator,
      transcriber: transcriber(hearing),
      languages: {
        find: findLanguage,
        name: languageName,
        search: searchLanguages,
        ...createLanguageHistory(),
      },
      spaces,
      settings,
      privacy,
      limits: createLimits({ spaces, usage: createUsage(store), operator }),
    },
  });
  slots.start();
  opened.startRepeated();
  return {
    ...opened,
    [Symbol.asyncDispose]: async () => {
      await slots[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
};

export const watchOf = (channel: Channel, part: Partial<ChannelWatch> = {}): ChannelWatch => ({
  channel,
  mode: 'reply',
  languages: ['es'],
  transcribes: true,
  bots: false,
  ...part,
});

export const mirrorOf = (...channels: readonly (readonly [Channel, string])[]): ChannelWatch[] =>
  channels.map(([channel, language]) =>
    watchOf(channel, { mode: 'mirror', languages: [language], group: 'g' }),
  );
