import { createEngineTurns } from '../../src/translation/engine-turns.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { AppError } from '../../src/errors.ts';
import { say } from '../../src/i18n/texts.ts';
import type { Attachment, OutgoingFile, Content } from '../../src/model/message.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import type { Core } from '../../src/adapter.ts';
import type { Invocation, PressInvocation } from '../../src/ports/platform.ts';
import type { LineTranslation } from '../../src/translation/fan-out.ts';
import type { ServiceStatus } from '../../src/model/service.ts';
import type { Services } from '../../src/command/services.ts';
import type { ChannelFeedListener } from '../../src/ports/channel-feed.ts';
import { keepNoAnswers, openFakeDeliveries } from './deliveries.ts';
import { createLoneProcess } from './processes.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { createOpsPages } from '../../src/ops/pages.ts';
import { createFakeDictations, type FakeDictations } from './dictation.ts';
import { FAKE_COMMANDS } from './fake-commands.ts';
import { NO_RESERVATION } from './reservation.ts';
import { createFakeRooms } from './rooms.ts';
import { createFakePrivacy, createFakeSettings, createFakeSpaces } from './settings.ts';
import { rich } from './rich-text.ts';
import { toneWav } from './tone.ts';
import { realTexts as texts } from './texts.ts';

const LANGUAGES: Readonly<Record<string, string>> = {
  ar: 'Arabic',
  en: 'English',
  es: 'Spanish',
  fr: 'French',
  ja: 'Japanese',
  'en-XA': 'Pseudo-English',
};

/** The speech of `/say`, longer than any test waits to see it play. */
export const SPEECH = toneWav(45);

const STATUS: ServiceStatus = {
  builtIn: true,
  reachable: true,
  engines: [
    { name: 'pseudo', serves: ['translation'], ready: true, detail: 'en-XA' },
    { name: 'espeak-ng', serves: ['speech'], ready: true, detail: '131 voices' },
    {
      name: 'apertium',
      serves: ['translation'],
      ready: false,
      detail: 'apt-get install -y apertium-eng-spa',
    },
    {
      name: 'openai',
      serves: ['chat', 'recognition'],
      ready: false,
      detail: 'SERVICE_OPENAI_URL=http://127.0.0.1:11434/v1',
    },
  ],
};

export interface FakeCore extends Core {
  readonly invocations: readonly Invocation[];
  readonly presses: readonly PressInvocation[];
  /** What was asked of `translateLine`. */
  readonly lines: readonly { readonly text: string; readonly languages: readonly string[] }[];
  readonly dictations: FakeDictations;
  /** Lets every stream that waits take its next step, or the next one that comes to wait. */
  step(): void;
  /** What `status` says next. */
  setReachable(reachable: boolean): void;
  /** Has the service refuse its key. */
  setRefusal(refusal: AppError | undefined): void;
  setStorageFault(fault: AppError | undefined): void;
  /** What `ready` says next. */
  setReady(ready: Readonly<Record<string, boolean>>): void;
}

const NOTHING_USED = { characters: 0, audioMs: 0, chatTokens: 0, messages: 0 };

/** A watcher of nothing. */
const WATCHER: ChannelFeedListener = {
  follows: () => false,
  spaceOf: ({ space }) => space,
  messageChanged: async () => undefined,
  messagesDeleted: async () => undefined,
  reactionChanged: async () => undefined,
  memberBanned: async () => undefined,
  messagesMissed: () => undefined,
  readMissed: async () => true,
  connected: () => undefined,
  accessChanged: async () => undefined,
  channelDeleted: async () => undefined,
  ageRestrictionChanged: async () => undefined,
  spaceJoined: async () => undefined,
  spaceLeft: async () => undefined,
};

/** A panel with a control of each kind; what was pressed stands in its text. */
const panelOf = (pressed: string): Content => ({
  text: rich(`**Panel** ${pressed}`),
  controls: [
    { kind: 'button', press: 'panel go', label: 'Go', look: 'primary' },
    { kind: 'button', press: 'panel drop', label: 'Drop', look: 'danger' },
    ...(pressed === 'left'
      ? []
      : [{ kind: 'button', press: 'panel leave', label: 'Leave' } as const]),
    {
      kind: 'choice',
      press: 'panel colour',
      label: 'Colour',
      choices: ['red', 'green'].map((value) => ({
        value,
        label: value,
        chosen: value === pressed,
      })),
    },
    {
      kind: 'choice',
      press: 'panel sizes',
      label: 'Sizes',
      most: 2,
      choices: ['small', 'large'].map((value) => ({ value, label: value })),
    },
    { kind: 'roles', press: 'panel roles', label: 'Roles', chosen: [] },
  ],
});

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const search: Services['languages']['search'] = (typed) =>
  Object.entries(LANGUAGES)
    .map(([code, name]) => ({ code, name }))
    .filter(({ code, name }) => `${code} ${name}`.toLowerCase().includes(typed.toLowerCase()));

const refuse = (): never => {
  throw new AppError('unsupported', 'the fake has no such service');
};

const readAll = async (attachment: Attachment): Promise<number> => {
  let bytes = 0;
  for await (const chunk of attachment.open()) bytes += chunk.byteLength;
  return bytes;
};

/** A core whose commands answer in set ways, and whose streams go on when the test says so. */
export const createFakeCore = (metricsToken?: string): FakeCore => {
  const log = pino({ level: 'silent' });
  const invocations: Invocation[] = [];
  const presses: PressInvocation[] = [];
  const lines: { text: string; languages: readonly string[] }[] = [];
  const waiting: (() => void)[] = [];
  const dictations = createFakeDictations();
  const metrics = createMetrics();
  metrics.counter({ name: 'calls_total', help: 'Calls.' })(7);
  let saved = 0;
  let reachable = true;
  let refusal: AppError | undefined;
  let storageFault: AppError | undefined;
  let platforms: Readonly<Record<string, boolean>> = { web: true };

  const step = (): void => {
    const all = waiting.splice(0);
    if (all.length === 0) saved += 1;
    for (const go of all) go();
  };
  const pause = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (saved > 0) {
      saved -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  };

  const settings = createFakeSettings();
  const services: Services = {
    languages: {
      find: (typed) =>
        Object.keys(LANGUAGES).find(
          (code) => code === typed || LANGUAGES[code]?.toLowerCase() === typed.toLowerCase(),
        ),
      name: (code) => LANGUAGES[code] ?? code,
      search,
      detect: () => undefined,
      rank: () => [],
    },
    translator: { translate: refuse },
    engineTurns: createEngineTurns({ nowMs: () => 0 }),
    transcriber: { transcribe: refuse },
    transcriptFile: refuse,
    speaker: { speak: refuse, voices: refuse },
    assistant: { answer: refuse },
    glossary: {
      add: refuse,
      remove: refuse,
      list: refuse,
      applying: refuse,
      inText: refuse,
      previewImport: refuse,
      finishImport: refuse,
      dropImport: refuse,
      exportCsv: refuse,
      propose: refuse,
      proposals: refuse,
      decide: refuse,
    },
    settings,
    watches: {
      of: () => undefined,
      list: () => [],
      set: refuse,
      change: async () => undefined,
      pause: async () => undefined,
      join: refuse,
      remove: async () => false,
      missing: async () => [],
      drawback: () => undefined,
      elsewhere: () => 0,
      invite: refuse,
      members: async () => [],
      mute: refuse,
      expel: refuse,
      propose: refuse,
      ask: refuse,
      answer: refuse,
    },
    spaces: createFakeSpaces(),
    usage: {
      record: async () => undefined,
      today: async () => NOTHING_USED,
      todayEverywhere: async () => NOTHING_USED,
      todayOf: async () => NOTHING_USED,
      top: async () => [],
      days: async () => [],
    },
    limits: {
      of: async () => ({ operator: {}, person: {}, space: {} }),
      fault: async () => undefined,
      reserve: async () => NO_RESERVATION,
      remaining: async () => ({}),
    },
    usageChart: async () => PNG,
    inbox: {
      backlog: async () => ({
        waiting: 0,
        oldestMs: undefined,
        dead: 0,
        overLimit: 0,
        newestDead: [],
        waitsFor: undefined,
        gaps: [],
        late: [],
        outage: undefined,
      }),
      revive: async () => 0,
      explain: async () => [],
    },
    messages: { read: refuse, recent: refuse },
    privacy: createFakePrivacy(),
    rooms: createFakeRooms(),
    translates: async () => undefined,
    translators: async () => [],
    modelsOf: async () => [],
    status: async () => ({ ...STATUS, reachable, refusal }),
    storageFault: async () => storageFault,
    spaceKeys: { canStore: false, state: async () => undefined, set: refuse, remove: refuse },
  };

  const answers: Readonly<Record<string, (invocation: Invocation) => Promise<void>>> = {
    translate: async ({ options, answer }) =>
      answer.show({ text: rich(`**${String(options['to'])}**: ${String(options['text'])}`) }),
    say: async ({ options, answer }) => {
      const wav: OutgoingFile = { name: 'speech.wav', mediaType: 'audio/wav', bytes: SPEECH };
      await answer.show({ text: rich(String(options['text'])), files: [wav] });
    },
    transcribe: async ({ options, answer }) => {
      const audio = options['audio'] as Attachment;
      const dictated = await audio.dictated?.();
      if (dictated) return answer.show({ text: rich(`dictated: ${dictated.text}`) });
      const bytes = await readAll(audio);
      await answer.show({ text: rich(`${audio.name} ${audio.mediaType}: ${bytes} bytes`) });
    },
    ask: async ({ answer, signal }) => {
      await answer.show({ text: rich('One') });
      await pause(signal);
      await answer.show({ text: rich('One two') });
      await pause(signal);
      await answer.show({ text: rich('One two **three**') });
    },
    wait: async ({ answer, signal }) => {
      await answer.show({ text: rich('Working') });
      await delay(60_000, undefined, { signal, ref: false });
    },
    fail: async () => {
      throw new AppError('unavailable', 'the fake fails');
    },
    secret: async ({ answer }) => answer.show({ text: rich('For you alone') }),
    panel: async ({ answer }) => answer.show(panelOf('unpressed')),
    own: async ({ answer }) => answer.show(panelOf('unpressed')),
    notice: async ({ answer }) =>
      answer.show({
        text: rich('For everybody'),
        controls: [{ kind: 'button', press: 'notice choose:me', label: 'Choose' }],
      }),
    picture: async ({ answer }) =>
      answer.show({
        text: rich('Look'),
        files: [{ name: 'a.png', mediaType: 'image/png', bytes: PNG }],
      }),
    language: async ({ member, options, answer }) => {
      await settings.change(member, { language: String(options['language']) });
      await answer.show({ text: rich('Set'), tone: 'note' });
    },
  };

  return {
    log,
    receives: true,
    texts,
    services,
    feedListener: WATCHER,
    rooms: {
      spaceReady: async () => true,
      spaceMoves: async () => undefined,
      spaceLost: () => undefined,
      peopleChanged: () => undefined,
      reads: () => false,
      wrote: () => undefined,
    },
    invocations,
    presses,
    lines,
    dictations,
    openDictation: async (request) => dictations.open(request),
    step,
    setReachable: (next) => (reachable = next),
    setRefusal: (next) => (refusal = next),
    setStorageFault: (next) => (storageFault = next),
    openDeliveries: openFakeDeliveries,
    keepOpenAnswers: keepNoAnswers,
    processes: createLoneProcess(),
    ready: () => platforms,
    metrics,
    ops: createOpsPages({
      metrics,
      metricsToken,
      isStalled: () => false,
      readiness: async () => {
        const parts = { ...platforms, service: reachable && !refusal, storage: !storageFault };
        const ready = Object.values(parts).every(Boolean);
        return { ready, starting: false, draining: false, parts };
      },
    }),
    setReady: (next) => (platforms = next),
    commands: () => FAKE_COMMANDS,
    admits: async () => true,
    dispatch: async (invocation) => {
      invocations.push(invocation);
      try {
        await answers[invocation.command]?.(invocation);
      } catch (error) {
        const code = invocation.signal.aborted ? 'cancelled' : (error as AppError).code;
        const text = say(texts.rich(invocation.member.locale), { key: `errors.${code}` });
        await invocation.answer.show({ text, tone: 'error' });
      }
    },
    press: async (invocation) => {
      presses.push(invocation);
      const { press, values, answer, signal } = invocation;
      if (press.startsWith('notice choose')) {
        const again = { kind: 'button', press: 'notice choose:again', label: 'Again' } as const;
        await answer.show({ text: rich(press), controls: [again] });
        return;
      }
      if (press === 'panel drop') await pause(signal).catch(() => undefined);
      const left = press === 'panel leave' ? 'left' : press;
      await answer.show(panelOf(values.join(' ') || left));
    },
    complete: async ({ typed }) =>
      search(typed, 'en').map(({ code, name }) => ({ value: code, label: name })),
    translateLine: async function* (line, languages, signal) {
      const text = plainText(line.text);
      lines.push({ text, languages });
      const wanted = languages.filter((language) => !text.startsWith(`${language}:`));
      for (const language of wanted) {
        const growing = { language, done: false, text: rich(`${language}: ${text.slice(0, 3)}`) };
        yield growing satisfies LineTranslation;
      }
      if (text.includes('slowly')) await pause(signal).catch(() => undefined);
      for (const language of wanted) {
        yield language === 'fr'
          ? { language, done: true, text: [], error: new AppError('unavailable', 'no French') }
          : { language, done: true, text: rich(`${language}: ${text}`) };
      }
    },
  };
};
